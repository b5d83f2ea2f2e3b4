import { firstText, fullName, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

/** @see https://www.eventbrite.com/platform/api#/reference/user/retrieve-your-user/retrieve-your-user */
export interface EventbriteProfile extends OtherMembers {
  id: string
  name: string
  first_name: string
  last_name: string
  is_public?: boolean
  image_id: string | null
  emails: { email: string; verified: boolean; primary: boolean }[]
  /** Added by latchkey: whether the primary address is verified. */
  email_verified?: boolean
}

const findPrimaryEmail = ({ emails }: Pick<EventbriteProfile, "emails">) =>
  (Array.isArray(emails) ? emails : []).find((email) => email?.primary === true)

/**
 * Sign-in with Eventbrite.
 * Environment: `AUTH_EVENTBRITE_ID` (the API key), `AUTH_EVENTBRITE_SECRET` (the client secret).
 * Console: https://www.eventbrite.com/account-settings/apps
 * - The email address is the primary address. `profile.email_verified` comes from the `verified` of this address.
 */
const Eventbrite = oauthProvider<EventbriteProfile>("eventbrite", "Eventbrite", {
  authorization: { url: "https://www.eventbrite.com/oauth/authorize", params: { scope: "user.profile" } },
  token: "https://www.eventbrite.com/oauth/token",
  userinfo: userinfoFrom<EventbriteProfile>("Eventbrite", "https://www.eventbriteapi.com/v3/users/me/", (user) => ({
    ...user,
    email_verified: findPrimaryEmail(user)?.verified === true,
  })),
  client: { token_endpoint_auth_method: "client_secret_post" },
  user(profile) {
    const { id, name, first_name, last_name, image_id } = profile
    const picture = firstText(image_id)
    return {
      id,
      name: firstText(name, fullName(first_name, last_name)),
      email: firstText(findPrimaryEmail(profile)?.email),
      image: picture && `https://img.evbuc.com/https%3A%2F%2Fcdn.evbuc.com%2Fimages%2F${picture}%2F1%2Foriginal.jpg`,
    }
  },
  apiOrigins: ["https://www.eventbriteapi.com"],
  brandColor: "#f05537",
})

export default Eventbrite
