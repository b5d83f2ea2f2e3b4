import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { firstText, requireId } from "./vendor.js"

/** A picture in one size. */
export interface SpotifyImage {
  url: string
  height?: number | null
  width?: number | null
}

/**
 * The signed-in user of Spotify.
 * @see https://developer.spotify.com/documentation/web-api/reference/get-current-users-profile
 */
export interface SpotifyProfile {
  id: string
  /** Stays the same for as long as the account lives. */
  account_id?: string
  display_name: string
  /** As the person typed it: Spotify warns that nobody proved it. */
  email: string
  images: SpotifyImage[]
  type: "user"
  uri: string
  href: string
  external_urls: { spotify: string }
  followers?: { href: string | null; total: number }
  /** From here on with the scope `user-read-private`. */
  country?: string
  product?: string
  explicit_content?: { filter_enabled: boolean; filter_locked: boolean }
  // biome-ignore lint/suspicious/noExplicitAny: further members come with further scopes, as in the contract
  [member: string]: any
}

/**
 * Sign-in with Spotify.
 *
 * Environment: `AUTH_SPOTIFY_ID`, `AUTH_SPOTIFY_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/spotify`.
 * Console: https://developer.spotify.com/dashboard
 *
 * - Spotify documents that e-mail addresses are not proven, so they link no accounts.
 * - Redirect URIs are of https, on a machine of one's own of `http://127.0.0.1` and not of `localhost`.
 * - The account is Spotify's `id`, as with Auth.js. An application that begins anew may prefer `account_id`, which Spotify
 *   recommends for this since May 2026: return it as the id of a `profile` of your own.
 *
 * @example
 * import Spotify from "latchkey/providers/spotify"
 * app.use(authMiddleware({ providers: [Spotify] }))
 */
export default function Spotify<P extends SpotifyProfile = SpotifyProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "spotify",
    name: "Spotify",
    type: "oauth",
    authorization: { url: "https://accounts.spotify.com/authorize", params: { scope: "user-read-email" } },
    token: "https://accounts.spotify.com/api/token",
    userinfo: "https://api.spotify.com/v1/me",
    profile({ id, display_name, email, images }) {
      return {
        id: requireId("Spotify", id),
        name: firstText(display_name),
        email: firstText(email),
        image: firstText(images?.[0]?.url),
      }
    },
    style: { brandColor: "#1db954" },
    options,
  }
}
