import type { WebAuthnConfig } from "../provider-kit/provider.js"
import { getUserInfo } from "../security/passkey-user.js"

const TIMEOUT_MS = 5 * 60 * 1000

/** The argument of the provider's functions. */
interface Options {
  readonly provider: Pick<WebAuthnConfig, "relayingParty">
  readonly url: URL
}

const takeFirst = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" ? value : value?.[0]

/** The configured site, otherwise the site of the request. */
function getRelayingParty({ provider, url }: Options): { id: string; name: string; origin: string } {
  const { id, name, origin } = provider.relayingParty ?? {}
  return {
    id: takeFirst(id) ?? url.hostname,
    name: takeFirst(name) ?? url.host,
    origin: takeFirst(origin) ?? url.origin,
  }
}

/**
 * Sign-in with any WebAuthn authenticator, including security keys that store no credentials. For passkeys, use
 * `latchkey/providers/passkey`.
 *
 * It needs `npm install @simplewebauthn/server` and an adapter.
 * - Options are merged over these defaults, member by member.
 * - `relayingParty.id` is the site's domain. A key works only on the domain it was registered for. Set it if the site
 *   uses several subdomains: `{ relayingParty: { id: "example.com" } }`.
 * - Responses never reveal whether an address has a user. `revealAccounts: true` allows it, as in Auth.js.
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
