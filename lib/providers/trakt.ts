import type { OAuth2Config, OAuthUserConfig, TokenRequestContext } from "../provider-kit/provider.js"
import { firstText, identity, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Trakt, with what `extended=full` adds.
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
  // biome-ignore lint/suspicious/noExplicitAny: Trakt adds members over time, as in Auth.js
  [member: string]: any
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
 *
 * Environment: `AUTH_TRAKT_ID`, `AUTH_TRAKT_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/trakt`.
 * Console: https://trakt.tv/oauth/applications
 *
 * - No email address.
 * - The account id is the slug of the user name, as in Auth.js: a user who changes the name has a new account, and
 *   another user can take the old name.
 * - Trakt does not allow hotlinking its pictures, so store a copy.
 *
 * @example
 * import Trakt from "latchkey/providers/trakt"
 * app.use(authMiddleware({ providers: [Trakt] }))
 */
export default function Trakt<P extends TraktUser = TraktUser>(options: OAuthUserConfig<P> = {}): OAuth2Config<P> {
  return {
    id: "trakt",
    name: "Trakt",
    type: "oauth",
    authorization: { url: "https://trakt.tv/oauth/authorize", params: { scope: "" } },
    token: { url: "https://api.trakt.tv/oauth/token", request: requestTokens },
    userinfo: userinfoFrom("Trakt", USER_URL, identity<P>, ({ provider: { clientId = "" } }) => ({
      headers: { "trakt-api-version": "2", "trakt-api-key": clientId },
    })),
    profile({ ids, name, username, images }) {
      return {
        id: requireId("Trakt", ids?.slug),
        name: firstText(name, username),
        email: null,
        // Private users have none.
        image: firstText(images?.avatar?.full),
      }
    },
    style: { brandColor: "#ED2224" },
    options,
  }
}
