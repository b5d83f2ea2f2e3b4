import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { firstText, requireId, serverOf } from "./vendor.js"

/**
 * A person as an Osso makes it of what the identity provider says.
 * @see https://ossoapp.com/docs/integration/oauth-consumption
 */
export interface OssoProfile {
  id: string
  email: string
  /** Name of the identity provider: "Okta". */
  idp: string
  /** What the sign-in was begun with. */
  requested?: { domain: string | null; email: string | null }
  // biome-ignore lint/suspicious/noExplicitAny: what more there is depends on the version, as in the contract
  [member: string]: any
}

/**
 * Sign-in with an Osso of your own, which speaks SAML to the identity providers of your customers.
 *
 * Environment: `AUTH_OSSO_ID`, `AUTH_OSSO_SECRET`, and the server as `AUTH_OSSO_ISSUER` (`https://osso.example.com`,
 * with or without a slash at its end).
 * Redirect URI: `https://example.com/auth/callback/osso`.
 * Console: `https://osso.example.com/admin/config`, OAuth Clients
 *
 * - Osso finds the customer by `domain` or `email`: give one as an authorization parameter of the sign-in, else it asks.
 * - There is no name and no picture.
 * - The documentation does not say that an e-mail address is proven, so it links no accounts.
 *
 * @example
 * import Osso from "latchkey/providers/osso"
 * app.use(authMiddleware({ providers: [Osso({ issuer: process.env.AUTH_OSSO_ISSUER })] }))
 */
export default function Osso<P extends OssoProfile = OssoProfile>(
  options: OAuthUserConfig<P> & { issuer: string | undefined },
): OAuth2Config<P> {
  const server = serverOf("osso", options)
  return {
    id: "osso",
    name: "Osso",
    type: "oauth",
    authorization: { url: server && `${server}/oauth/authorize`, params: { scope: "" } },
    token: server && `${server}/oauth/token`,
    userinfo: server && `${server}/oauth/me`,
    profile: ({ id, email }) => ({ id: requireId("Osso", id), name: null, email: firstText(email), image: null }),
    options,
  }
}
