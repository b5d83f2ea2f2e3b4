import { firstText, fullName, oauthProvider } from "../provider-kit/define.js"
import { assumeBearer, identity, userinfoFrom, type VendorContext } from "../provider-kit/vendor.js"

/** The signed-in user: https://api.mail.ru/docs/guides/oauth/ */
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
 * Console: https://o2.mail.ru/app/
 * - Mail.ru does not document whether email addresses are verified.
 * - The profile request sends the access token in the URL, because Mail.ru requires it.
 */
const Mailru = oauthProvider<MailruProfile>("mailru", "Mail.ru", {
  authorization: { url: "https://oauth.mail.ru/login", params: { scope: "userinfo" } },
  token: { url: "https://oauth.mail.ru/token", conform: assumeBearer },
  userinfo: userinfoFrom("Mail.ru", "https://oauth.mail.ru/userinfo", identity<MailruProfile>, tokenInQuery),
  user: ({ id, name, first_name, last_name, nickname, email, image }) => ({
    id,
    name: firstText(name, fullName(first_name, last_name), nickname),
    email,
    image,
  }),
})

export default Mailru
