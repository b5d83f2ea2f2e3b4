import type { WebAuthnConfig } from "../provider-kit/provider.js"
import WebAuthn from "./webauthn.js"

const TIMEOUT_MS = 5 * 60 * 1000

/**
 * Sign-in with passkeys: a fingerprint, a face or a PIN instead of a password.
 *
 * It needs `npm install @simplewebauthn/server` and an adapter.
 * - Options are merged over these defaults, member by member.
 * - `relayingParty.id` is the site's domain. A passkey works only on the domain it was created for. Set it if the site
 *   uses several subdomains: `{ relayingParty: { id: "example.com" } }`.
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
