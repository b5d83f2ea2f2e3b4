import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, fullName, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Eventbrite.
 * @see https://www.eventbrite.com/platform/api#/reference/user/retrieve-your-user/retrieve-your-user
 */
export interface EventbriteProfile {
  id: string
  name: string
  first_name: string
  last_name: string
  is_public?: boolean
  image_id: string | null
  emails: { email: string; verified: boolean; primary: boolean }[]
  /** Added by latchkey: whether the primary address is verified. */
  email_verified?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: Eventbrite adds members over time, as in Auth.js
  [member: string]: any
}

const primaryOf = ({ emails }: Pick<EventbriteProfile, "emails">) =>
  (Array.isArray(emails) ? emails : []).find((email) => email?.primary === true)

const toProfile = <P extends EventbriteProfile>(user: P): P => ({
  ...user,
  email_verified: primaryOf(user)?.verified === true,
})

/**
 * Sign-in with Eventbrite.
 *
 * Environment: `AUTH_EVENTBRITE_ID` (the API key), `AUTH_EVENTBRITE_SECRET` (the client secret).
 * Redirect URI: `https://example.com/auth/callback/eventbrite`.
 * Console: https://www.eventbrite.com/account-settings/apps
 *
 * - The email address is the primary one. `profile.email_verified` comes from its `verified`.
 *
 * @example
 * import Eventbrite from "latchkey/providers/eventbrite"
 * app.use(authMiddleware({ providers: [Eventbrite] }))
 */
export default function Eventbrite<P extends EventbriteProfile = EventbriteProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "eventbrite",
    name: "Eventbrite",
    type: "oauth",
    authorization: { url: "https://www.eventbrite.com/oauth/authorize", params: { scope: "user.profile" } },
    token: "https://www.eventbrite.com/oauth/token",
    userinfo: userinfoFrom<P>("Eventbrite", "https://www.eventbriteapi.com/v3/users/me/", toProfile),
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile(profile) {
      const { id, name, first_name, last_name, image_id } = profile
      const picture = firstText(image_id)
      return {
        id: requireId("Eventbrite", id),
        name: firstText(name, fullName(first_name, last_name)),
        email: firstText(primaryOf(profile)?.email),
        image: picture && `https://img.evbuc.com/https%3A%2F%2Fcdn.evbuc.com%2Fimages%2F${picture}%2F1%2Foriginal.jpg`,
      }
    },
    style: { brandColor: "#f05537" },
    options,
  }
}
