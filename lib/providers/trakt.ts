import { firstText, oauthProvider } from "../provider-kit/define.js"
import type { Loose, TokenRequestContext } from "../provider-kit/provider.js"
import { identity, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Trakt, with the members that `extended=full` adds.
 * @see https://trakt.docs.apiary.io/#reference/users/profile
 */
export interface TraktUser {
  username: string
  private: boolean
  name: string | null
  vip: boolean
  vip_ep: boolean
  /** `slug` is derived from the user name. */
  ids: { slug: string; [name: string]: unknown }
  joined_at: string
  location: string | null
  about: string | null
  gender: string | null
  age: number | null
  images: { avatar: { full: string } }
  [member: string]: Loose
}

const USER_URL = "https://api.trakt.tv/users/me?extended=full"

/** @see https://trakt.docs.apiary.io/#reference/authentication-oauth/get-token */
function requestTokens({ params, checks, provider, redirect_uri, fetch }: TokenRequestContext): Promise<Response> {
  const { clientId: client_id, clientSecret: client_secret } = provider
  const { code_verifier } = checks
  const grant = { grant_type: "authorization_code", code: params.code, redirect_uri, code_verifier }
  return fetch(provider.token.url, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", "user-agent": "latchkey" },
    body: JSON.stringify({ ...grant, client_id, client_secret }),
  })
}

/**
 * Sign-in with Trakt.
 * Console: https://trakt.tv/oauth/applications
 * - Tokens are not renewed, because Trakt requires the redirect URI of the sign-in in refresh requests.
 * - The user has no email address.
 * - The account id is the slug of the user name, as in Auth.js. A user who changes the name gets a new account. Another
 *   user can take the old name, and then signs in to the old account.
 * - Trakt does not allow hotlinking its pictures, so store a copy.
 */
const Trakt = oauthProvider<TraktUser>("trakt", "Trakt", {
  authorization: { url: "https://trakt.tv/oauth/authorize", params: { scope: "" } },
  token: { url: "https://api.trakt.tv/oauth/token", request: requestTokens, refresh: false },
  userinfo: userinfoFrom("Trakt", USER_URL, identity<TraktUser>, ({ provider: { clientId = "" } }) => ({
    headers: { "trakt-api-version": "2", "trakt-api-key": clientId },
  })),
  // Private users have no image.
  user: ({ ids, name, username, images }) => ({
    id: ids?.slug,
    name: firstText(name, username),
    image: images?.avatar?.full,
  }),
  apiOrigins: ["https://api.trakt.tv"],
  brandColor: "#ED2224",
})

export default Trakt
