import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { identity, userinfoFrom } from "../provider-kit/vendor.js"

/** Dropbox's representation of a tagged union. */
export interface Tagged {
  ".tag": string
}

/** @see https://www.dropbox.com/developers/documentation/http/documentation#users-get_current_account */
export interface DropboxProfile extends OtherMembers {
  /** "dbid:" and the account's identifier. */
  account_id: string
  name: { given_name: string; surname: string; familiar_name: string; display_name: string; abbreviated_name: string }
  email: string
  email_verified: boolean
  disabled: boolean
  locale: string
  referral_link: string
  /** Whether the user has both a work account and a personal account. */
  is_paired: boolean
  /** "basic", "pro" or "business". */
  account_type: Tagged
  root_info: Tagged & { root_namespace_id: string; home_namespace_id: string }
  profile_photo_url?: string
  country?: string
  team?: { id: string; name: string; sharing_policies: Record<string, Tagged>; office_addin_policy: Tagged }
  team_member_id?: string
}

const USER_URL = "https://api.dropboxapi.com/2/users/get_current_account"

/**
 * Sign-in with Dropbox.
 * Environment: `AUTH_DROPBOX_ID` (the app key), `AUTH_DROPBOX_SECRET`.
 * Console: https://www.dropbox.com/developers/apps
 * - Under Permissions, the app needs `account_info.read`.
 * - Dropbox returns a refresh token. To get none, set `authorization: { params: { token_access_type: "online" } }`.
 */
const Dropbox = oauthProvider<DropboxProfile>("dropbox", "Dropbox", {
  authorization: {
    url: "https://www.dropbox.com/oauth2/authorize",
    params: { token_access_type: "offline", scope: "account_info.read" },
  },
  token: "https://api.dropboxapi.com/oauth2/token",
  // Every Dropbox API call is a POST; this one has no body.
  userinfo: userinfoFrom("Dropbox", USER_URL, identity<DropboxProfile>, { method: "POST" }),
  user: ({ account_id, name, email, profile_photo_url }) => ({
    id: account_id,
    name: name?.display_name,
    email,
    image: profile_photo_url,
  }),
  apiOrigins: ["https://api.dropboxapi.com", "https://content.dropboxapi.com"],
  brandColor: "#0061fe",
})

export default Dropbox
