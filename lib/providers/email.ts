import type { MailConfig } from "../provider-kit/send-mail.js"
import { type SmtpOptions, smtpProvider } from "../provider-kit/smtp.js"

/**
 * The same as `latchkey/providers/nodemailer`, with its former id `email`.
 * @deprecated Use `latchkey/providers/nodemailer`; the URL of email links changes with the id.
 * @throws AuthError if `server` is missing
 * @example
 * import Email from "latchkey/providers/email"
 * Email({ server: "smtp://user:password@smtp.example.com:587", from: "Example <no-reply@example.com>" })
 */
export default function Email(options: SmtpOptions): MailConfig {
  return smtpProvider({ id: "email", name: "Email" }, options)
}
