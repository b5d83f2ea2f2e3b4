import type { MailConfig } from "../provider-kit/send-mail.js"
import { type SmtpOptions, smtpProvider } from "../provider-kit/smtp.js"

/**
 * Email links sent over SMTP with nodemailer, which the application installs: `npm install nodemailer`.
 * Environment: `AUTH_NODEMAILER_SERVER` (`smtp://user:password@smtp.example.com:587`) and `AUTH_NODEMAILER_FROM`
 * (`Example <no-reply@example.com>`).
 * @throws AuthError if `server` is missing
 * @see https://nodemailer.com/smtp/
 * @example
 * import Nodemailer from "latchkey/providers/nodemailer"
 * Nodemailer({
 *   server: "smtp://user:password@smtp.example.com:587?requireTLS=true", // or options, or a transport
 *   from: "Example <no-reply@example.com>",
 * })
 */
export default function Nodemailer(options: SmtpOptions): MailConfig {
  return smtpProvider({ id: "nodemailer", name: "Nodemailer" }, options)
}
