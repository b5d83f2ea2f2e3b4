import type { OAuth2Config, OAuthUserConfig, TokenRequestContext } from "./provider.js"
import { asItIs, firstText, requireId, userinfoFrom } from "./vendor.js"

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
  /** `slug` is made of the user name. */
  ids: { slug: string; [name: string]: unknown }
  joined_at: string
  location: string | null
  about: string | null
  gender: string | null
  age: number | null
  images: { avatar: { full: string } }
  // biome-ignore lint/suspicious/noExplicitAny: Trakt adds members as it grows, as in the contract
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
 * - Trakt gives no e-mail address.
 * - The account is the slug, as with Auth.js. It follows the user name: somebody who changes the name comes as another
 *   account, and the old name may go to somebody else.
 * - Trakt does not want its pictures shown by their address on other sites: keep a copy.
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
    userinfo: userinfoFrom("Trakt", USER_URL, asItIs<P>, ({ provider: { clientId = "" } }) => ({
      headers: { "trakt-api-version": "2", "trakt-api-key": clientId },
    })),
    profile({ ids, name, username, images }) {
      return {
        id: requireId("Trakt", ids?.slug),
        name: firstText(name, username),
        email: null,
        // Those who keep to themselves show none.
        image: firstText(images?.avatar?.full),
      }
    },
    style: { brandColor: "#ED2224" },
    options,
  }
}
