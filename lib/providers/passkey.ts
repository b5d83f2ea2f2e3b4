import type { WebAuthnConfig } from "./provider.js"
import WebAuthn from "./webauthn.js"

const TIMEOUT_MS = 5 * 60 * 1000

/**
 * Sign-in with passkeys: no password, no address to type, a finger or a PIN.
 *
 * It needs `npm install @simplewebauthn/server` and an adapter.
 *
 * - What is given here replaces what stands here, member by member.
 * - `relayingParty.id` is the site's domain and part of every passkey: those of one domain are of no use on another. Set
 *   it where the site moves between subdomains: `{ relayingParty: { id: "example.com" } }`.
 * - People add, name and remove their passkeys at `/auth/passkeys`.
 *
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
