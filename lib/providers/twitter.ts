import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The signed-in user of the X API. `id`, `name` and `username` are always present. The other members must be requested
 * in `user.fields`.
 * @see https://docs.x.com/x-api/users/get-my-user
 */
export interface TwitterProfile extends OtherMembers {
  data: {
    /** A 64-bit number as a string. */
    id: string
    name: string
    username: string
    profile_image_url?: string
    /** Requires the option `email`. */
    confirmed_email?: string
    created_at?: string
    description?: string
    location?: string
    url?: string
    protected?: boolean
    /** Applies to the account, not to the email address. */
    verified?: boolean
    verified_type?: "blue" | "business" | "government" | "none"
    is_identity_verified?: boolean
    pinned_tweet_id?: string
    most_recent_tweet_id?: string
    profile_banner_url?: string
    subscription_type?: string
    public_metrics?: {
      followers_count: number
      following_count: number
      tweet_count: number
      listed_count: number
      like_count?: number
      media_count?: number
    }
    entities?: {
      url?: { urls: { start: number; end: number; url: string; expanded_url: string; display_url: string }[] }
      description?: {
        urls?: { start: number; end: number; url: string; expanded_url: string; display_url: string }[]
        hashtags?: { start: number; end: number; tag: string }[]
        mentions?: { start: number; end: number; username: string }[]
        cashtags?: { start: number; end: number; tag: string }[]
      }
    }
    withheld?: { country_codes: string[]; scope?: string }
  }
  /** Requires the parameter `expansions`. */
  includes?: { tweets?: { id: string; text: string }[] }
  errors?: { title: string; type: string; detail?: string; status?: number }[]
  /** Added by latchkey: true if there is a `confirmed_email`. */
  email_verified?: boolean
}

/** Options of the factory. */
export type TwitterOptions<P> = OAuthUserConfig<P> & {
  /**
   * Whether to request the email address. X rejects the sign-in unless the app's settings allow this. @default false
   */
  email?: boolean | undefined
}

const toProfile = <P extends TwitterProfile>(response: P): P =>
  firstText(response.data?.confirmed_email) ? { ...response, email_verified: true } : response

/**
 * Sign-in with X, formerly Twitter.
 * Environment: `AUTH_TWITTER_ID`, `AUTH_TWITTER_SECRET` (the client id and the client secret of OAuth 2.0, not the API
 * key).
 * Console: https://developer.x.com/en/portal/dashboard, User authentication settings
 * - Choose "Web App" as the app type; other types have no client secret.
 * - To get the email address, set `Twitter({ email: true })`, which adds the scope `users.email`, and turn on "Request
 *   email from users" in the app. X returns only a confirmed address, so `profile.email_verified` is then true.
 * - The scope `offline.access` requests a refresh token. The access token is valid for two hours.
 */
export default function Twitter<P extends TwitterProfile = TwitterProfile>(
  options: TwitterOptions<P> = {},
): OAuth2Config<P> {
  const scope = "users.read tweet.read offline.access"
  const fields = "profile_image_url"
  const userUrl = "https://api.x.com/2/users/me?user.fields="
  return oauthProvider<P>("twitter", "Twitter", {
    checks: ["pkce", "state"],
    authorization: {
      url: "https://x.com/i/oauth2/authorize",
      params: { scope: options.email ? `${scope} users.email` : scope },
    },
    token: "https://api.x.com/2/oauth2/token",
    revocation: "https://api.x.com/2/oauth2/revoke",
    userinfo: userinfoFrom<P>(
      "Twitter",
      `${userUrl}${options.email ? `${fields},confirmed_email` : fields}`,
      toProfile,
    ),
    user({ data }) {
      const { id, name, username, confirmed_email, profile_image_url } = { ...data }
      return { id, name: firstText(name, username), email: confirmed_email, image: profile_image_url }
    },
    apiOrigins: ["https://api.x.com"],
    brandColor: "#1da1f2",
  })(options)
}
