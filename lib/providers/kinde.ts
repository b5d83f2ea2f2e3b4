import { type IdTokenClaims, issuerProvider } from "../provider-kit/define.js"

/** The claims of Kinde's id_token: https://docs.kinde.com/build/tokens/about-id-tokens/ */
export interface KindeProfile extends IdTokenClaims<string[]> {
  azp: string
  auth_time: number
  jti: string
  org_codes?: string[]
  updated_at?: number
}

/**
 * Sign-in with Kinde.
 * Console: https://app.kinde.com, Settings, Applications, Back-end web
 * - The issuer is the business's domain: `https://my-business.kinde.com`, or your custom domain.
 * - Kinde does not document whether email addresses are verified.
 */
const Kinde = issuerProvider<KindeProfile>("kinde", "Kinde", { brandColor: "#fff" })

export default Kinde
