import { type MailConfig, type MailUserConfig, mailProvider } from "../provider-kit/send-mail.js"

/**
 * Email links sent with Postmark, in its message stream `outbound`.
 * Environment: `AUTH_POSTMARK_KEY`, `AUTH_POSTMARK_FROM`.
 * Console: https://account.postmarkapp.com/servers
 * @see https://postmarkapp.com/developer/api/email-api
 * @example
 * import Postmark from "latchkey/providers/postmark"
 * app.use(authMiddleware({ providers: [Postmark({ from: "Example <no-reply@example.com>" })], adapter }))
 */
export default function Postmark(options: MailUserConfig = {}): MailConfig {
  return mailProvider(
    { id: "postmark", name: "Postmark", requires: ["apiKey", "from"] },
    options,
    ({ apiKey, from, to, subject, html, text }) => ({
      url: "https://api.postmarkapp.com/email",
      headers: { "x-postmark-server-token": apiKey },
      body: {
        From: from,
        To: to,
        Subject: subject,
        TextBody: text,
        HtmlBody: html,
        MessageStream: "outbound",
        // A tracked link redirects through the vendor's servers, which would log its token.
        TrackLinks: "None",
      },
    }),
  )
}
