import { mailProvider } from "../provider-kit/send-mail.js"

/**
 * Email links sent with Postmark, in its message stream `outbound`.
 * Console: https://account.postmarkapp.com/servers
 * @see https://postmarkapp.com/developer/api/email-api
 * @example
 * import Postmark from "latchkey/providers/postmark"
 * app.use(authMiddleware({ providers: [Postmark({ from: "Example <no-reply@example.com>" })], adapter }))
 */
const Postmark = mailProvider(
  { id: "postmark", name: "Postmark", requires: ["apiKey", "from"] },
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

export default Postmark
