import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/** The claims of Passage's id_token: https://docs.passage.id/hosted-login/oidc-client-configuration */
export interface PassageProfile extends IdTokenClaims<string[]> {
  client_id?: string
  c_hash?: string
  phone?: string
}

/**
 * Sign-in with Passage by 1Password.
 * Console: https://console.passage.id, OIDC Settings
 * - 1Password closed the service on 16 January 2026. This provider remains for applications that still import it, and
 *   logs a warning. Use your own passkeys instead: `latchkey/providers/passkey`.
 * - The issuer is the application's hosted login: `https://my-app.withpassage.com`.
 * - `profile.email_verified` comes from Passage. The user has no name and no picture.
 * @deprecated The service is closed; use `latchkey/providers/passkey`.
 */
const Passage = issuerProvider<PassageProfile>("passage", "Passage", {
  client: { token_endpoint_auth_method: "client_secret_basic" },
  // Name and picture become null. Without this function, the core would leave them undefined.
  user: ({ sub, email }) => ({ id: sub, email }),
  brandColor: "#3d53f6",
  closed: {
    reason: "1Password closed Passage on 16 January 2026",
    fix: 'Use your own passkeys: import Passkey from "latchkey/providers/passkey"',
  },
})

export default Passage
