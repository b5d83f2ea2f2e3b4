import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in student of the intranet's API.
 * @see https://api.intra.42.fr/apidoc/2.0/users/me.html
 */
export interface FortyTwoProfile {
  id: number
  email: string
  login: string
  first_name: string
  last_name: string
  /** The name in use, which may differ from the legal name. */
  usual_full_name: string | null
  usual_first_name: string | null
  displayname: string
  url: string
  phone: string | null
  image: { link: string | null; versions: { large: string; medium: string; small: string; micro: string } }
  "staff?": boolean
  correction_point: number
  pool_month: string | null
  pool_year: string | null
  location: string | null
  wallet: number
  // biome-ignore lint/suspicious/noExplicitAny: courses, projects, campuses and more, as in Auth.js
  [member: string]: any
}

/**
 * Sign-in with the intranet of the 42 school.
 *
 * Environment: `AUTH_42_SCHOOL_ID`, `AUTH_42_SCHOOL_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/42-school`.
 * Console: https://profile.intra.42.fr/oauth/applications
 *
 * - Email verification is not documented.
 *
 * @example
 * import FortyTwo from "latchkey/providers/42-school"
 * app.use(authMiddleware({ providers: [FortyTwo] }))
 */
export default function FortyTwo<P extends FortyTwoProfile = FortyTwoProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "42-school",
    name: "42 School",
    type: "oauth",
    authorization: { url: "https://api.intra.42.fr/oauth/authorize", params: { scope: "public" } },
    token: "https://api.intra.42.fr/oauth/token",
    userinfo: "https://api.intra.42.fr/v2/me",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ id, usual_full_name, displayname, login, email, image }) {
      return {
        id: requireId("42 School", id),
        name: firstText(usual_full_name, displayname, login),
        email: firstText(email),
        image: firstText(image?.link),
      }
    },
    options,
  }
}
