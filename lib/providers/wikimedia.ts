import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

/** @see https://www.mediawiki.org/wiki/OAuth/For_Developers#Identifying_the_user_2 */
export interface WikimediaProfile extends OtherMembers {
  /** The account id on all wikis. */
  sub: number | string
  username: string
  editcount: number
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
}

const BASE = "https://meta.wikimedia.org/w/rest.php/oauth2"

/**
 * Sign-in with Wikimedia (Wikipedia).
 * Console: https://meta.wikimedia.org/wiki/Special:OAuthConsumerRegistration/propose/oauth2
 * - To get the email address, select "User identity verification only with access to real name and email address" at
 *   the registration. `profile.email_verified` comes from Wikimedia's `confirmed_email`.
 * - Until Wikimedia approves a new consumer, only its owner can sign in.
 * - The user has no picture.
 */
const Wikimedia = oauthProvider<WikimediaProfile>("wikimedia", "Wikimedia", {
  // No scope is sent, because the consumer's registration defines its grants.
  authorization: { url: `${BASE}/authorize`, params: { scope: "" } },
  token: `${BASE}/access_token`,
  userinfo: userinfoFrom<WikimediaProfile>("Wikimedia", `${BASE}/resource/profile`, (user) => ({
    ...user,
    email_verified: user.confirmed_email === true,
  })),
  user: ({ sub, username, email }) => ({ id: sub, name: username, email }),
  brandColor: "#000",
})

export default Wikimedia
