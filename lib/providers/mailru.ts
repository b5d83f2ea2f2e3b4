import type { OAuth2Config, OAuthUserConfig, ProviderContext } from "./provider.js"
import { assumeBearer, firstText, fullName, requireId } from "./vendor.js"

/**
 * The signed-in person.
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

const USER_URL = "https://oauth.mail.ru/userinfo"

/** Mail.ru takes the token as a parameter only. */
async function fetchProfile(context: ProviderContext): Promise<MailruProfile> {
  const { tokens, provider, fetch = globalThis.fetch } = context
  const url = new URL(provider.userinfo?.url ?? USER_URL)
  url.searchParams.set("access_token", tokens.access_token ?? "")
  const response = await fetch(url, { headers: { accept: "application/json", "user-agent": "latchkey" } })
  if (!response.ok) throw new Error(`Mail.ru: ${url.pathname} answered ${response.status}`)
  // As documented; profile() requires the one member that matters.
  return (await response.json()) as MailruProfile
}

/**
 * Sign-in with Mail.ru.
 *
 * Environment: `AUTH_MAILRU_ID`, `AUTH_MAILRU_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/mailru`.
 * Console: https://o2.mail.ru/app/
 *
 * - Mail.ru does not document whether an address is proven, so there is no `profile.email_verified`.
 * - The access token stands in the address of the call for the profile, as Mail.ru wants it.
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
    userinfo: { url: USER_URL, request: fetchProfile },
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
