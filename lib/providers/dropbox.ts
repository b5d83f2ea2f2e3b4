import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, identity, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/** Dropbox's representation of a tagged union. */
export interface Tagged {
  ".tag": string
}

/**
 * The signed-in user's full account.
 * @see https://www.dropbox.com/developers/documentation/http/documentation#users-get_current_account
 */
export interface DropboxProfile {
  /** "dbid:" and the account's identifier. */
  account_id: string
  name: {
    given_name: string
    surname: string
    familiar_name: string
    display_name: string
    abbreviated_name: string
  }
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
  // biome-ignore lint/suspicious/noExplicitAny: Dropbox adds members over time, as in Auth.js
  [member: string]: any
}

const USER_URL = "https://api.dropboxapi.com/2/users/get_current_account"

/**
 * Sign-in with Dropbox.
 *
 * Environment: `AUTH_DROPBOX_ID` (the app key), `AUTH_DROPBOX_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/dropbox`.
 * Console: https://www.dropbox.com/developers/apps
 *
 * - Under Permissions, the app needs `account_info.read`.
 * - Dropbox returns a refresh token. To omit it, set `authorization: { params: { token_access_type: "online" } }`.
 *
 * @example
 * import Dropbox from "latchkey/providers/dropbox"
 * app.use(authMiddleware({ providers: [Dropbox] }))
 */
export default function Dropbox<P extends DropboxProfile = DropboxProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "dropbox",
    name: "Dropbox",
    type: "oauth",
    authorization: {
      url: "https://www.dropbox.com/oauth2/authorize",
      params: { token_access_type: "offline", scope: "account_info.read" },
    },
    token: "https://api.dropboxapi.com/oauth2/token",
    // Every Dropbox API call is a POST; this one has no body.
    userinfo: userinfoFrom("Dropbox", USER_URL, identity<P>, { method: "POST" }),
    profile({ account_id, name, email, profile_photo_url }) {
      return {
        id: requireId("Dropbox", account_id),
        name: firstText(name?.display_name),
        email: firstText(email),
        image: firstText(profile_photo_url),
      }
    },
    style: { brandColor: "#0061fe" },
    options,
  }
}
