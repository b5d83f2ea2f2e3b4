import { oauthProvider } from "../provider-kit/define.js"

/** A customer's profile: https://developer.amazon.com/docs/login-with-amazon/customer-profile.html */
export interface AmazonProfile {
  /** Identifies the customer to all applications of one company: "amzn1.account.…". */
  user_id: string
  name?: string
  email?: string
  /** Requires the scope `postal_code`. */
  postal_code?: string
  [member: string]: unknown
}

/**
 * Sign-in with Amazon ("Login with Amazon").
 * Console: https://developer.amazon.com/loginwithamazon/console/site/lwa/overview.html, Web Settings
 * - The redirect URI must be https, except on localhost.
 * - Amazon does not document whether email addresses are verified. The user has no picture.
 */
const Amazon = oauthProvider<AmazonProfile>("amazon", "Amazon", {
  authorization: { url: "https://www.amazon.com/ap/oa", params: { scope: "profile" } },
  token: "https://api.amazon.com/auth/o2/token",
  userinfo: "https://api.amazon.com/user/profile",
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ user_id, name, email }) => ({ id: user_id, name, email }),
  brandColor: "#FF9900",
})

export default Amazon
