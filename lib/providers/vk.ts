import { firstText, fullName, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { TokenRequestContext } from "../provider-kit/provider.js"
import { userinfoFrom, type VendorContext } from "../provider-kit/vendor.js"

/**
 * The VK ID user.
 * @see https://id.vk.com/about/business/go/docs/en/vkid/latest/vk-id/connection/api-integration/api-description
 */
export interface VKProfile extends OtherMembers {
  /** A number as a string. */
  user_id: string
  first_name: string
  last_name: string
  avatar?: string
  /** Requires the scope `email`. */
  email?: string
  /** Requires the scope `phone`. */
  phone?: string
  /** 1 is female, 2 is male, 0 is not specified. */
  sex?: number
  /** Applies to the account, not to the email address. */
  verified?: boolean
  birthday?: string
}

const USER_URL = "https://id.vk.com/oauth2/user_info"

/** Sends the code with the device id that VK ID returned. The code is valid only with this device id. */
function requestTokens({ params, checks, provider, redirect_uri, fetch }: TokenRequestContext): Promise<Response> {
  const { code, device_id } = params
  const { code_verifier, state } = checks
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri,
    client_id: provider.clientId,
    ...(code_verifier && { code_verifier }),
    ...(device_id && { device_id }),
    ...(state && { state }),
  })
  return fetch(provider.token.url, { method: "POST", headers: { accept: "application/json" }, body })
}

/** VK ID requires the token in the form body. */
const tokenInForm = ({ provider, tokens }: VendorContext) => ({
  headers: { authorization: "" },
  form: { client_id: String(provider.clientId), access_token: String(tokens.access_token) },
})

interface UserinfoResponse {
  user?: VKProfile
  error?: string
  error_description?: string
}

/** VK ID reports errors with status 200. */
function requireUser({ user, error, error_description }: UserinfoResponse): VKProfile {
  if (!user) throw new Error(`VK: ${firstText(error_description, error) ?? "the response has no user"}`)
  return user
}

/**
 * Sign-in with VK ID.
 * Environment: `AUTH_VK_ID`. There is no secret: VK ID relies on PKCE.
 * Console: https://id.vk.com/about/business/go, a web application
 * - Register the application with VK ID. The older OAuth at oauth.vk.com, which returns the same account ids, is not
 *   supported.
 * - Tokens are not renewed, because VK ID requires the device id of the sign-in in refresh requests.
 * - Enable the email permission in the console. VK ID does not document whether email addresses are verified.
 */
const VK = oauthProvider<VKProfile>("vk", "VK", {
  authorization: { url: "https://id.vk.com/authorize", params: { scope: "vkid.personal_info email" } },
  token: { url: "https://id.vk.com/oauth2/auth", request: requestTokens, refresh: false },
  userinfo: userinfoFrom("VK", USER_URL, requireUser, tokenInForm),
  client: { token_endpoint_auth_method: "none" },
  user: ({ user_id, first_name, last_name, email, avatar }) => ({
    id: user_id,
    name: fullName(first_name, last_name),
    email,
    image: avatar,
  }),
  brandColor: "#07F",
})

export default VK
