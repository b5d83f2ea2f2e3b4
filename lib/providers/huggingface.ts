import { oidcProvider, type StandardClaims } from "../provider-kit/define.js"
import type { Loose } from "../provider-kit/provider.js"

/** The claims of Hugging Face's id_token: https://huggingface.co/docs/hub/oauth */
export interface HuggingfaceProfile extends StandardClaims {
  /** Stays the same when the account is renamed. */
  sub: string
  profile?: string
  isPro?: boolean
  /** Requires the scope `read-billing`. */
  canPay?: boolean
  orgs?: {
    sub: string
    name: string
    preferred_username: string
    picture: string
    isEnterprise: boolean
    canPay?: boolean
    roleInOrg?: string
    [member: string]: Loose
  }[]
}

/**
 * Sign-in with Hugging Face.
 * Console: https://huggingface.co/settings/applications/new
 * - Enable the scopes `openid`, `profile` and `email` of the application.
 * - `authorization: { params: { scope: "openid profile email read-repos", orgIds: "<id>" } }` requests additional
 *   scopes and access to an organization.
 */
const Huggingface = oidcProvider<HuggingfaceProfile>("huggingface", "Hugging Face", {
  issuer: "https://huggingface.co",
  apiOrigins: ["https://huggingface.co"],
  brandColor: "#FFD21E",
})

export default Huggingface
