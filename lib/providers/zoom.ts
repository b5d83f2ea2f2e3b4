import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { conformBy, firstText, fullName, refusal, requireId, userinfoFrom } from "./vendor.js"

/**
 * The signed-in user of Zoom.
 * @see https://developers.zoom.us/docs/api/users/#tag/users/get/users/{userId}
 */
export interface ZoomProfile {
  id: string
  email: string
  first_name: string
  last_name: string
  display_name?: string
  /** Is the address proven? 1 is yes, 0 is no. */
  verified: 0 | 1
  /** Ours: true where `verified` is 1. */
  email_verified?: boolean
  pic_url?: string
  account_id: string
  account_number?: number
  /** 1 is Basic, 2 is Licensed, 4 is without a licence for meetings, 99 is none. */
  type: number
  role_name: string
  role_id?: string
  status?: "active" | "inactive" | "pending"
  /** How the person signs in at Zoom: 100 is by a work address, 101 by single sign-on. */
  login_type?: number
  /** All the ways that the person may sign in by. */
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
  /** 1 asks every time, 2 always shows them, 3 never does. */
  pronouns_option?: number
  employee_unique_id?: string
  cms_user_id?: string
  cluster?: string
  group_ids?: string[]
  im_group_ids?: string[]
  phone_numbers?: { country: string; code: string; number: string; label: string; verified: boolean }[]
  /** @deprecated Zoom names `phone_numbers` in its place. */
  phone_number?: string
  /** @deprecated Zoom names `phone_numbers` in its place. */
  phone_country?: string
  custom_attributes?: { key: string; name: string; value: string }[]
  plan_united_type?: string
  zoom_one_type?: number
  // biome-ignore lint/suspicious/noExplicitAny: Zoom adds members as it grows, as in the contract
  [member: string]: any
}

const toProfile = <P extends ZoomProfile>(user: P): P => ({ ...user, email_verified: user.verified === 1 })

/** Zoom says why it refuses in a member of its own. */
const conform = conformBy(({ error, reason }) => refusal(error, reason))

/**
 * Sign-in with Zoom.
 *
 * Environment: `AUTH_ZOOM_ID`, `AUTH_ZOOM_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/zoom`.
 * Console: https://marketplace.zoom.us/user/build, General App, User-managed
 *
 * - The app needs the scope `user:read:user`; Zoom takes the scopes from the app, none is sent.
 * - `profile.email_verified` is Zoom's `verified`.
 * - The redirect URI must stand in the allow list of the app too.
 *
 * @example
 * import Zoom from "latchkey/providers/zoom"
 * app.use(authMiddleware({ providers: [Zoom] }))
 */
export default function Zoom<P extends ZoomProfile = ZoomProfile>(options: OAuthUserConfig<P> = {}): OAuth2Config<P> {
  return {
    id: "zoom",
    name: "Zoom",
    type: "oauth",
    authorization: { url: "https://zoom.us/oauth/authorize", params: { scope: "" } },
    token: { url: "https://zoom.us/oauth/token", conform },
    userinfo: userinfoFrom<P>("Zoom", "https://api.zoom.us/v2/users/me", toProfile),
    profile({ id, first_name, last_name, display_name, email, pic_url }) {
      return {
        id: requireId("Zoom", id),
        name: fullName(first_name, last_name) ?? firstText(display_name),
        email: firstText(email),
        image: firstText(pic_url),
      }
    },
    style: { brandColor: "#0b5cff" },
    options,
  }
}
