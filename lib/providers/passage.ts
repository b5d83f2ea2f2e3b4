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
 *   logs a warning. Use passkeys of your own instead: `latchkey/providers/passkey`.
 * - The issuer is the application's hosted login: `https://my-app.withpassage.com`.
 * - `profile.email_verified` comes from Passage. No name and no picture.
 * @deprecated The service is closed; use `latchkey/providers/passkey`.
 */
const Passage = issuerProvider<PassageProfile>("passage", "Passage", {
  client: { token_endpoint_auth_method: "client_secret_basic" },
  // Set explicitly to null, because the core would otherwise leave name and picture undefined.
  user: ({ sub, email }) => ({ id: sub, email }),
  brandColor: "#3d53f6",
  closed: {
    reason: "1Password closed Passage on 16 January 2026",
    fix: 'Use passkeys of your own: import Passkey from "latchkey/providers/passkey"',
  },
})

export default Passage
