import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

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
  /** Never changes. */
  account_id?: string
  display_name: string
  /** As entered by the user; Spotify documents that it is unverified. */
  email: string
  images: SpotifyImage[]
  type: "user"
  uri: string
  href: string
  external_urls: { spotify: string }
  followers?: { href: string | null; total: number }
  /** This and the following members require the scope `user-read-private`. */
  country?: string
  product?: string
  explicit_content?: { filter_enabled: boolean; filter_locked: boolean }
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add members, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with Spotify.
 *
 * Environment: `AUTH_SPOTIFY_ID`, `AUTH_SPOTIFY_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/spotify`.
 * Console: https://developer.spotify.com/dashboard
 *
 * - Spotify documents that email addresses are not verified.
 * - The redirect URI must be https. In development, use `http://127.0.0.1`, not `localhost`.
 * - The account id is Spotify's `id`, as in Auth.js. Since May 2026 Spotify recommends `account_id`. A new application
 *   can return it as the id in its own `profile`.
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
