import { type OtherMembers, oidcProvider } from "../provider-kit/define.js"
import { hasVerifiedEmail } from "../provider-kit/vendor.js"

/**
 * @see
 * https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2#id-token-payload-fields
 */
export interface LinkedInProfile extends OtherMembers {
  iss: string
  aud: string
  iat: number
  exp: number
  /** Identifies the member within one application. */
  sub: string
  name: string
  given_name: string
  family_name: string
  picture?: string
  /** A string in the documentation, but an object in userinfo responses. */
  locale: string | { country: string; language: string }
  email?: string
  email_verified?: boolean
}

/**
 * Sign-in with LinkedIn.
 * Console: https://www.linkedin.com/developers/apps, Auth
 * - The application needs the product "Sign In with LinkedIn using OpenID Connect".
 * - LinkedIn supports neither the nonce nor PKCE for a client with a secret, so only the state is checked.
 */
const LinkedIn = oidcProvider<LinkedInProfile>("linkedin", "LinkedIn", {
  issuer: "https://www.linkedin.com/oauth",
  isEmailVerified: hasVerifiedEmail,
  client: { token_endpoint_auth_method: "client_secret_post" },
  checks: ["state"],
  apiOrigins: ["https://api.linkedin.com"],
  brandColor: "#069",
})

export default LinkedIn
