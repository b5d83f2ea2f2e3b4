import { getUserInfo } from "../security/passkey-user.js"
import type { WebAuthnConfig } from "./provider.js"

const TIMEOUT_MS = 5 * 60 * 1000

/** What the functions of a provider get. */
interface Options {
  readonly provider: Pick<WebAuthnConfig, "relayingParty">
  readonly url: URL
}

const firstOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" ? value : value?.[0]

/** The configured site, else the one that the request came to. */
function getRelayingParty({ provider, url }: Options): { id: string; name: string; origin: string } {
  const { id, name, origin } = provider.relayingParty ?? {}
  return {
    id: firstOf(id) ?? url.hostname,
    name: firstOf(name) ?? url.host,
    origin: firstOf(origin) ?? url.origin,
  }
}

/**
 * Sign-in with any authenticator of WebAuthn, security keys that keep nothing among them; for passkeys take
 * `latchkey/providers/passkey`.
 *
 * It needs `npm install @simplewebauthn/server` and an adapter.
 *
 * - What is given here replaces what stands here, member by member.
 * - `relayingParty.id` is the site's domain and part of every key: keys of one domain are of no use on another. Set it
 *   where the site moves between subdomains: `{ relayingParty: { id: "example.com" } }`.
 * - Answers never tell whether an address has a user; `revealAccounts: true` lets them, as with Auth.js.
 *
 * @see https://www.w3.org/TR/webauthn-3/
 * @example
 * import WebAuthn from "latchkey/providers/webauthn"
 * app.use(authMiddleware({ providers: [WebAuthn], adapter }))
 */
export default function WebAuthn(options: Partial<WebAuthnConfig> = {}): WebAuthnConfig {
  return {
    id: "webauthn",
    name: "WebAuthn",
    enableConditionalUI: true,
    simpleWebAuthnBrowserVersion: "v9.0.1",
    formFields: { email: { label: "Email", required: true, autocomplete: "username webauthn" } },
    authenticationOptions: { timeout: TIMEOUT_MS },
    registrationOptions: { timeout: TIMEOUT_MS },
    getRelayingParty,
    getUserInfo,
    ...options,
    type: "webauthn",
  }
}
