import type { WebAuthnConfig } from "../provider-kit/provider.js"
import WebAuthn from "./webauthn.js"

const TIMEOUT_MS = 5 * 60 * 1000

/**
 * Sign-in with passkeys: a fingerprint, a face or a PIN instead of a password.
 *
 * The provider needs an adapter and the package `@simplewebauthn/server`: `npm install @simplewebauthn/server`.
 * - An option replaces its default completely, even if both are objects.
 * - `relayingParty.id` is the site's domain. A passkey works only on the domain it was created for. Set `relayingParty`
 *   if the site uses several subdomains: `{ relayingParty: { id: "example.com" } }`.
 * - Users add, name and remove their passkeys at `/auth/passkeys`.
 * @see https://www.w3.org/TR/webauthn-3/
 * @example
 * import Passkey from "latchkey/providers/passkey"
 * app.use(authMiddleware({ providers: [Passkey], adapter }))
 */
export default function Passkey(options: Partial<WebAuthnConfig> = {}): WebAuthnConfig {
  return WebAuthn({
    id: "passkey",
    name: "Passkey",
    authenticationOptions: { timeout: TIMEOUT_MS, userVerification: "required" },
    registrationOptions: {
      timeout: TIMEOUT_MS,
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    },
    verifyAuthenticationOptions: { requireUserVerification: true },
    verifyRegistrationOptions: { requireUserVerification: true },
    ...options,
  })
}
