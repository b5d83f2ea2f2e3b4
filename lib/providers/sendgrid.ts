import { mailProvider } from "../provider-kit/send-mail.js"

/**
 * Email links sent with SendGrid.
 * Console: https://app.sendgrid.com/settings/api_keys
 * @see https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
 * @example
 * import SendGrid from "latchkey/providers/sendgrid"
 * app.use(authMiddleware({ providers: [SendGrid({ from: "Example <no-reply@example.com>" })], adapter }))
 */
const SendGrid = mailProvider(
  { id: "sendgrid", name: "SendGrid", requires: ["apiKey", "from"] },
  ({ apiKey, sender: { name, address }, to, subject, html, text }) => ({
    url: "https://api.sendgrid.com/v3/mail/send",
    headers: { authorization: `Bearer ${apiKey}` },
    body: {
      personalizations: [{ to: [{ email: to }] }],
      from: { email: address, ...(name && { name }) },
      subject,
      content: [
        { type: "text/plain", value: text },
        { type: "text/html", value: html },
      ],
      // A tracked link redirects through the vendor's servers, which would log its token.
      tracking_settings: { click_tracking: { enable: false, enable_text: false } },
    },
  }),
)

export default SendGrid
