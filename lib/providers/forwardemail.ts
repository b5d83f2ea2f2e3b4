import { mailProvider } from "../provider-kit/send-mail.js"

/**
 * Email links sent with Forward Email.
 * Console: https://forwardemail.net/my-account/security
 * @see https://forwardemail.net/en/email-api#outbound-emails
 * @example
 * import ForwardEmail from "latchkey/providers/forwardemail"
 * app.use(authMiddleware({ providers: [ForwardEmail({ from: "Example <no-reply@example.com>" })], adapter }))
 */
const ForwardEmail = mailProvider(
  { id: "forwardemail", name: "Forward Email", requires: ["apiKey", "from"] },
  ({ apiKey, from, to, subject, html, text }) => ({
    url: "https://api.forwardemail.net/v1/emails",
    headers: { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}` },
    body: { from, to, subject, html, text },
  }),
)

export default ForwardEmail
