import type { WebAuthnConfig } from "../provider-kit/provider.js"
import { getUserInfo } from "../security/passkey-user.js"

const TIMEOUT_MS = 5 * 60 * 1000

/** The argument of `getRelayingParty`. */
interface Options {
  readonly provider: Pick<WebAuthnConfig, "relayingParty">
  readonly url: URL
}

const firstValue = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" ? value : value?.[0]

/** Returns the relying party. Members that are not configured are derived from the URL of the request. */
function getRelayingParty({ provider, url }: Options): { id: string; name: string; origin: string } {
  const { id, name, origin } = provider.relayingParty ?? {}
  return {
    id: firstValue(id) ?? url.hostname,
    name: firstValue(name) ?? url.host,
    origin: firstValue(origin) ?? url.origin,
  }
}

/**
 * Sign-in with any WebAuthn authenticator, including security keys that store no credentials. For passkeys, use
 * `latchkey/providers/passkey`.
 *
 * The provider needs an adapter and the package `@simplewebauthn/server`: `npm install @simplewebauthn/server`.
 * - An option replaces its default completely, even if both are objects.
 * - `relayingParty.id` is the site's domain. A key works only on the domain it was registered for. Set `relayingParty`
 *   if the site uses several subdomains: `{ relayingParty: { id: "example.com" } }`.
 * - By default, responses do not reveal whether an email address belongs to a user. With `revealAccounts: true` they
 *   may reveal this, as in Auth.js.
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
