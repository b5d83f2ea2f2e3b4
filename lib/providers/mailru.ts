import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import {
  assumeBearer,
  firstText,
  fullName,
  identity,
  requireId,
  userinfoFrom,
  type VendorContext,
} from "../provider-kit/vendor.js"

/**
 * The signed-in user.
 * @see https://api.mail.ru/docs/guides/oauth/
 */
export interface MailruProfile {
  id: string
  name?: string
  first_name?: string
  last_name?: string
  nickname?: string
  email?: string
  image?: string
  gender?: string
  locale?: string
  [member: string]: unknown
}

/** Mail.ru accepts the token only as a query parameter. */
const tokenInQuery = ({ tokens }: VendorContext) => ({
  headers: { authorization: "" },
  query: { access_token: String(tokens.access_token) },
})

/**
 * Sign-in with Mail.ru.
 *
 * Environment: `AUTH_MAILRU_ID`, `AUTH_MAILRU_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/mailru`.
 * Console: https://o2.mail.ru/app/
 *
 * - Email verification is not documented.
 * - The profile request sends the access token in the URL, because Mail.ru requires it.
 *
 * @example
 * import Mailru from "latchkey/providers/mailru"
 * app.use(authMiddleware({ providers: [Mailru] }))
 */
export default function Mailru(options: OAuthUserConfig<MailruProfile> = {}): OAuth2Config<MailruProfile> {
  return {
    id: "mailru",
    name: "Mail.ru",
    type: "oauth",
    authorization: { url: "https://oauth.mail.ru/login", params: { scope: "userinfo" } },
    token: { url: "https://oauth.mail.ru/token", conform: assumeBearer },
    userinfo: userinfoFrom("Mail.ru", "https://oauth.mail.ru/userinfo", identity<MailruProfile>, tokenInQuery),
    profile({ id, name, first_name, last_name, nickname, email, image }) {
      return {
        id: requireId("Mail.ru", id),
        name: firstText(name, fullName(first_name, last_name), nickname),
        email: firstText(email),
        image: firstText(image),
      }
    },
    options,
  }
}
