import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/**
 * The claims of Hydra's id_token, including those that the consent application adds to the session.
 * @see https://www.ory.com/docs/oauth2-oidc/openid-connect-claims-scope-custom
 */
export interface OryHydraProfile extends IdTokenClaims<string[]> {
  auth_time: number
  rat: number
  jti: string
}

/**
 * Sign-in with Ory Hydra: your own server or Ory Network.
 * Console: `hydra create client`, or https://console.ory.sh, OAuth 2
 * - The id of this provider, in the redirect URI and the variable names, is `hydra`.
 * - The issuer is Hydra's public address: `https://hydra.example.com`, or `https://my-project.projects.oryapis.com`.
 * - Register the client with the scopes `openid profile email`.
 * - The account id is the subject that the login application accepts. Do not use a name or an address, which can be
 *   reassigned.
 * - The consent application sets the profile, including whether the address is verified, in `session.id_token`.
 * @example
 * import OryHydra from "latchkey/providers/ory-hydra"
 * app.use(authMiddleware({ providers: [OryHydra({ issuer: process.env.AUTH_HYDRA_ISSUER })] }))
 */
const OryHydra = issuerProvider<OryHydraProfile>("hydra", "Hydra", { brandColor: "#fff" })

export default OryHydra
