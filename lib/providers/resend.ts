import { mailProvider } from "../provider-kit/send-mail.js"

/**
 * Email links sent with Resend.
 * Console: https://resend.com/api-keys
 * @see https://resend.com/docs/api-reference/emails/send-email
 * @example
 * import Resend from "latchkey/providers/resend"
 * app.use(authMiddleware({ providers: [Resend({ from: "Example <no-reply@example.com>" })], adapter }))
 */
const Resend = mailProvider(
  { id: "resend", name: "Resend", requires: ["apiKey", "from"] },
  ({ apiKey, from, to, subject, html, text }) => ({
    url: "https://api.resend.com/emails",
    headers: { authorization: `Bearer ${apiKey}` },
    body: { from, to, subject, html, text },
  }),
)

export default Resend
