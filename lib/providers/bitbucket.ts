import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"

/** A link of Bitbucket's API. */
export interface Link {
  href: string
}

/** @see https://developer.atlassian.com/cloud/bitbucket/rest/api-group-users/#api-user-get */
export interface BitbucketProfile extends OtherMembers {
  type: string
  /** A UUID in braces. */
  uuid: string
  account_id: string
  account_status: string
  display_name: string
  nickname: string
  username?: string
  created_on: string
  links: { self?: Link; avatar?: Link; html?: Link; repositories?: Link; snippets?: Link; hooks?: Link }
  has_2fa_enabled?: boolean | null
  is_staff?: boolean
  location?: string | null
}

/**
 * Sign-in with Bitbucket Cloud.
 * Environment: `AUTH_BITBUCKET_ID` (the consumer's key), `AUTH_BITBUCKET_SECRET`.
 * Console: https://bitbucket.org/account/workspaces/, the workspace's settings, OAuth consumers
 * - The consumer needs the permission "Account: Read".
 * - The user has no email address, because Bitbucket returns it only from a separate endpoint, which is not called.
 */
const Bitbucket = oauthProvider<BitbucketProfile>("bitbucket", "Bitbucket", {
  authorization: { url: "https://bitbucket.org/site/oauth2/authorize", params: { scope: "account" } },
  token: "https://bitbucket.org/site/oauth2/access_token",
  userinfo: "https://api.bitbucket.org/2.0/user",
  user: ({ account_id, display_name, username, nickname, links }) => ({
    id: account_id,
    name: firstText(display_name, username, nickname),
    image: links?.avatar?.href,
  }),
  apiOrigins: ["https://api.bitbucket.org"],
  brandColor: "#205081",
})

export default Bitbucket
