import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"

/** A picture in one size. */
export interface SpotifyImage {
  url: string
  height?: number | null
  width?: number | null
}

/** @see https://developer.spotify.com/documentation/web-api/reference/get-current-users-profile */
export interface SpotifyProfile extends OtherMembers {
  id: string
  /** An id that never changes. */
  account_id?: string
  display_name: string
  /** The address that the user entered. Spotify documents that it is unverified. */
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
}

/**
 * Sign-in with Spotify.
 * Console: https://developer.spotify.com/dashboard
 * - Spotify documents that email addresses are not verified.
 * - The redirect URI must be https. In development, use `http://127.0.0.1`, not `localhost`.
 * - The account id is Spotify's `id`, as in Auth.js. Since May 2026 Spotify recommends `account_id`. A new application
 *   can return `account_id` as the id in its own `profile`.
 */
const Spotify = oauthProvider<SpotifyProfile>("spotify", "Spotify", {
  authorization: { url: "https://accounts.spotify.com/authorize", params: { scope: "user-read-email" } },
  token: "https://accounts.spotify.com/api/token",
  userinfo: "https://api.spotify.com/v1/me",
  user: ({ id, display_name, email, images }) => ({ id, name: display_name, email, image: images?.[0]?.url }),
  apiOrigins: ["https://api.spotify.com"],
  brandColor: "#1db954",
})

export default Spotify
