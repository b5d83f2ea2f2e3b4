import { firstText, fullName, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { refusal, repairTokenResponse, userinfoFrom } from "../provider-kit/vendor.js"

/** The signed-in user of Zoom: https://developers.zoom.us/docs/api/users/#tag/users/get/users/{userId} */
export interface ZoomProfile extends OtherMembers {
  id: string
  email: string
  first_name: string
  last_name: string
  display_name?: string
  /** Whether the address is verified: 1 is yes, 0 is no. */
  verified: 0 | 1
  /** Added by latchkey: true if `verified` is 1. */
  email_verified?: boolean
  pic_url?: string
  account_id: string
  account_number?: number
  /** The licence: 1 is Basic, 2 is Licensed, 4 is unassigned without a meetings licence, 99 is no licence. */
  type: number
  role_name: string
  role_id?: string
  status?: "active" | "inactive" | "pending"
  /** The login method at Zoom: 100 is a work address, 101 is single sign-on. */
  login_type?: number
  login_types?: number[]
  timezone?: string
  language?: string
  created_at?: string
  user_created_at?: string
  last_login_time?: string
  last_client_version?: string
  pmi?: number
  use_pmi?: boolean
  personal_meeting_url?: string
  vanity_url?: string
  host_key?: string
  jid?: string
  dept?: string
  company?: string
  job_title?: string
  location?: string
  manager?: string
  cost_center?: string
  pronouns?: string
  /** 1 asks every time, 2 always shows them, 3 never shows them. */
  pronouns_option?: number
  employee_unique_id?: string
  cms_user_id?: string
  cluster?: string
  group_ids?: string[]
  im_group_ids?: string[]
  phone_numbers?: { country: string; code: string; number: string; label: string; verified: boolean }[]
  /** @deprecated Replaced by `phone_numbers`. */
  phone_number?: string
  /** @deprecated Replaced by `phone_numbers`. */
  phone_country?: string
  custom_attributes?: { key: string; name: string; value: string }[]
  plan_united_type?: string
  zoom_one_type?: number
}

/** Zoom returns the error reason in a non-standard member. */
const conform = repairTokenResponse(({ error, reason }) =>
  refusal(reason === "Invalid Token!" ? "invalid_grant" : error, reason),
)

/**
 * Sign-in with Zoom.
 * Console: https://marketplace.zoom.us/user/build, General App, User-managed
 * - The app needs the scope `user:read:user`. latchkey sends no scope, so all scopes of the app apply.
 * - `profile.email_verified` comes from Zoom's `verified`.
 * - Also add the redirect URI to the app's allow list.
 */
const Zoom = oauthProvider<ZoomProfile>("zoom", "Zoom", {
  authorization: { url: "https://zoom.us/oauth/authorize", params: { scope: "" } },
  token: { url: "https://zoom.us/oauth/token", conform },
  revocation: "https://zoom.us/oauth/revoke",
  userinfo: userinfoFrom<ZoomProfile>("Zoom", "https://api.zoom.us/v2/users/me", (user) => ({
    ...user,
    email_verified: user.verified === 1,
  })),
  user: ({ id, first_name, last_name, display_name, email, pic_url }) => ({
    id,
    name: fullName(first_name, last_name) ?? firstText(display_name),
    email,
    image: pic_url,
  }),
  apiOrigins: ["https://api.zoom.us"],
  brandColor: "#0b5cff",
})

export default Zoom
