import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

/** The signed-in user of Patreon's API, version 2: https://docs.patreon.com/#get-api-oauth2-v2-identity */
export interface PatreonProfile extends OtherMembers {
  data: {
    type: "user"
    id: string
    attributes: {
      /** Requires the scope `identity[email]`. */
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
}

// Version 2 returns only the fields that are requested.
const FIELDS = "email,is_email_verified,first_name,last_name,full_name,image_url,thumb_url,url,vanity"
const IDENTITY_URL = `https://www.patreon.com/api/oauth2/v2/identity?${new URLSearchParams({ "fields[user]": FIELDS })}`

/**
 * Sign-in with Patreon.
 * Console: https://www.patreon.com/portal/registration/register-clients, a client of API version 2
 * - `profile.email_verified` comes from Patreon's `is_email_verified`.
 */
const Patreon = oauthProvider<PatreonProfile>("patreon", "Patreon", {
  authorization: { url: "https://www.patreon.com/oauth2/authorize", params: { scope: "identity identity[email]" } },
  token: "https://www.patreon.com/api/oauth2/token",
  userinfo: userinfoFrom<PatreonProfile>("Patreon", IDENTITY_URL, (response) => ({
    ...response,
    email_verified: response.data?.attributes?.is_email_verified === true,
  })),
  user({ data }) {
    const { full_name, email, image_url } = { ...data?.attributes }
    return { id: data?.id, name: full_name, email, image: image_url }
  },
  apiOrigins: ["https://www.patreon.com"],
  brandColor: "#e85b46",
})

export default Patreon
