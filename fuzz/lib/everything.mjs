/**
 * A site with each sign-in method, for inputs that need no response of a provider.
 *
 * @module
 */
import { MemoryAdapter } from "../../dist/adapters/memory.js"
import { customFetch } from "../../dist/index.js"
import Credentials from "../../dist/providers/credentials.js"
import Passkey from "../../dist/providers/passkey.js"
import { ISSUER } from "./provider.mjs"
import { openSite, renewedSite } from "./site.mjs"

const PLAIN = {
  ...{ id: "oauth", name: "Plain", type: "oauth", clientId: "the-client", clientSecret: "hidden" },
  ...{ authorization: `${ISSUER}/authorize`, token: `${ISSUER}/token`, userinfo: `${ISSUER}/userinfo` },
  // No input follows a started sign-in, so the provider must not be called.
  [customFetch]: async () => Response.json({ error: "invalid_grant" }, { status: 400 }),
}

const MAIL = { id: "email", name: "Mail", type: "email", from: "us@app.test", sendVerificationRequest: async () => {} }

const open = (strategy) => () =>
  openSite({
    mayLeadTo: [ISSUER],
    providers: [PLAIN, MAIL, Passkey, Credentials({ credentials: { name: {} }, authorize: async () => null })],
    adapter: MemoryAdapter(),
    session: { strategy },
    experimental: { enableWebAuthn: true },
  })

/** Sessions in cookies and in the database. */
export const siteWithTokens = renewedSite(open("jwt"))
export const siteWithStore = renewedSite(open("database"))
