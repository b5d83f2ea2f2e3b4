import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Wikimedia's wikis.
 * @see https://www.mediawiki.org/wiki/OAuth/For_Developers#Identifying_the_user_2
 */
export interface WikimediaProfile {
  /** The account id on all wikis. */
  sub: number | string
  username: string
  editcount: number
  /** Whether the address is verified. */
  confirmed_email: boolean
  /** Added by latchkey: the same as `confirmed_email`. */
  email_verified?: boolean
  blocked: boolean
  /** When the account was created: "20230114141759". */
  registered: string | null
  groups: string[]
  rights: string[]
  grants: string[]
  /** This and `email` require the grant for private information. */
  realname?: string
  email?: string
  // biome-ignore lint/suspicious/noExplicitAny: MediaWiki adds members over time, as in Auth.js
  [member: string]: any
}

const toProfile = <P extends WikimediaProfile>(user: P): P => ({
  ...user,
  email_verified: user.confirmed_email === true,
})

/**
 * Sign-in with Wikimedia (Wikipedia).
 *
 * Environment: `AUTH_WIKIMEDIA_ID`, `AUTH_WIKIMEDIA_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/wikimedia`.
 * Console: https://meta.wikimedia.org/wiki/Special:OAuthConsumerRegistration/propose/oauth2
 *
 * - The email address requires "User identity verification only with access to real name and email address" at the
 *   registration. `profile.email_verified` comes from Wikimedia's `confirmed_email`.
 * - Until Wikimedia approves a new consumer, only its owner can sign in.
 * - No picture.
 *
 * @example
 * import Wikimedia from "latchkey/providers/wikimedia"
 * app.use(authMiddleware({ providers: [Wikimedia] }))
 */
export default function Wikimedia<P extends WikimediaProfile = WikimediaProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  const base = "https://meta.wikimedia.org/w/rest.php/oauth2"
  return {
    id: "wikimedia",
    name: "Wikimedia",
    type: "oauth",
    // The consumer's registration defines its grants.
    authorization: { url: `${base}/authorize`, params: { scope: "" } },
    token: `${base}/access_token`,
    userinfo: userinfoFrom<P>("Wikimedia", `${base}/resource/profile`, toProfile),
    profile({ sub, username, email }) {
      return { id: requireId("Wikimedia", sub), name: firstText(username), email: firstText(email), image: null }
    },
    style: { brandColor: "#000" },
    options,
  }
}
