import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Patreon's API, version 2.
 * @see https://docs.patreon.com/#get-api-oauth2-v2-identity
 */
export interface PatreonProfile {
  data: {
    type: "user"
    id: string
    attributes: {
      /** With the scope `identity[email]`. */
      email?: string
      is_email_verified?: boolean
      first_name?: string | null
      last_name?: string | null
      full_name?: string
      image_url?: string
      thumb_url?: string
      url?: string
      vanity?: string | null
    }
  }
  /** Added by latchkey: the same as `is_email_verified`. */
  email_verified?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: JSON:API has other members beside the data, as in Auth.js
  [member: string]: any
}

// Version 2 returns only the fields that are requested.
const FIELDS = "email,is_email_verified,first_name,last_name,full_name,image_url,thumb_url,url,vanity"
const IDENTITY_URL = `https://www.patreon.com/api/oauth2/v2/identity?${new URLSearchParams({ "fields[user]": FIELDS })}`

const toProfile = <P extends PatreonProfile>(answer: P): P => ({
  ...answer,
  email_verified: answer.data?.attributes?.is_email_verified === true,
})

/**
 * Sign-in with Patreon.
 *
 * Environment: `AUTH_PATREON_ID`, `AUTH_PATREON_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/patreon`.
 * Console: https://www.patreon.com/portal/registration/register-clients, a client of API version 2
 *
 * - `profile.email_verified` comes from Patreon's `is_email_verified`.
 *
 * @example
 * import Patreon from "latchkey/providers/patreon"
 * app.use(authMiddleware({ providers: [Patreon] }))
 */
export default function Patreon<P extends PatreonProfile = PatreonProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "patreon",
    name: "Patreon",
    type: "oauth",
    authorization: { url: "https://www.patreon.com/oauth2/authorize", params: { scope: "identity identity[email]" } },
    token: "https://www.patreon.com/api/oauth2/token",
    userinfo: userinfoFrom<P>("Patreon", IDENTITY_URL, toProfile),
    profile({ data }) {
      const { full_name, email, image_url } = { ...data?.attributes }
      return {
        id: requireId("Patreon", data?.id),
        name: firstText(full_name),
        email: firstText(email),
        image: firstText(image_url),
      }
    },
    style: { brandColor: "#e85b46" },
    options,
  }
}
