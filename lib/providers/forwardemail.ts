import { type MailConfig, type MailUserConfig, mailProvider } from "../provider-kit/send-mail.js"

/**
 * Email links sent with Forward Email.
 * Environment: `AUTH_FORWARDEMAIL_KEY`, `AUTH_FORWARDEMAIL_FROM`.
 * Console: https://forwardemail.net/my-account/security
 * @see https://forwardemail.net/en/email-api#outbound-emails
 * @example
 * import ForwardEmail from "latchkey/providers/forwardemail"
 * app.use(authMiddleware({ providers: [ForwardEmail({ from: "Example <no-reply@example.com>" })], adapter }))
 */
export default function ForwardEmail(options: MailUserConfig = {}): MailConfig {
  return mailProvider(
    { id: "forwardemail", name: "Forward Email", requires: ["apiKey", "from"] },
    options,
    ({ apiKey, from, to, subject, html, text }) => ({
      url: "https://api.forwardemail.net/v1/emails",
      headers: { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}` },
      body: { from, to, subject, html, text },
    }),
  )
}
