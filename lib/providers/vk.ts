import type { OAuth2Config, OAuthUserConfig, TokenRequestContext } from "./provider.js"
import { firstText, fullName, requireId, userinfoFrom, type VendorContext } from "./vendor.js"

/**
 * The user as VK ID answers it.
 * @see https://id.vk.com/about/business/go/docs/en/vkid/latest/vk-id/connection/api-integration/api-description
 */
export interface VKProfile {
  /** A number, as text. */
  user_id: string
  first_name: string
  last_name: string
  avatar?: string
  /** With the scope `email`. */
  email?: string
  /** With the scope `phone`. */
  phone?: string
  /** 1 is female, 2 is male, 0 is not said. */
  sex?: number
  /** Of the account, not of the e-mail address. */
  verified?: boolean
  birthday?: string
  // biome-ignore lint/suspicious/noExplicitAny: VK adds members as it grows, as in the contract
  [member: string]: any
}

const USER_URL = "https://id.vk.com/oauth2/user_info"

/** A code is good for the device alone that VK ID names beside it. */
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

/** VK ID wants the token in the form. */
const inForm = ({ provider, tokens }: VendorContext) => ({
  headers: { authorization: "" },
  form: { client_id: String(provider.clientId), access_token: String(tokens.access_token) },
})

interface Answer {
  user?: VKProfile
  error?: string
  error_description?: string
}

/** What is wrong VK ID says with status 200. */
function userOf({ user, error, error_description }: Answer): VKProfile {
  if (!user) throw new Error(`VK: ${firstText(error_description, error) ?? "the answer names nobody"}`)
  return user
}

/**
 * Sign-in with VK ID.
 *
 * Environment: `AUTH_VK_ID`. There is no secret: VK ID relies on PKCE.
 * Redirect URI: `https://example.com/auth/callback/vk`.
 * Console: https://id.vk.com/about/business/go, a web application
 *
 * - The older OAuth at oauth.vk.com takes no new applications and is not spoken here: register the application with
 *   VK ID. The accounts stay the same.
 * - The e-mail address needs the permission in the console. VK does not say whether it is proven.
 *
 * @example
 * import VK from "latchkey/providers/vk"
 * app.use(authMiddleware({ providers: [VK] }))
 */
export default function VK<P extends VKProfile = VKProfile>(options: OAuthUserConfig<P> = {}): OAuth2Config<P> {
  return {
    id: "vk",
    name: "VK",
    type: "oauth",
    authorization: { url: "https://id.vk.com/authorize", params: { scope: "vkid.personal_info email" } },
    token: { url: "https://id.vk.com/oauth2/auth", request: requestTokens },
    userinfo: userinfoFrom("VK", USER_URL, userOf, inForm),
    client: { token_endpoint_auth_method: "none" },
    profile({ user_id, first_name, last_name, email, avatar }) {
      return {
        id: requireId("VK", user_id),
        name: fullName(first_name, last_name),
        email: firstText(email),
        image: firstText(avatar),
      }
    },
    style: { brandColor: "#07F" },
    options,
  }
}
