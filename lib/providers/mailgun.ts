import { type MailUserConfig, mailProvider } from "../provider-kit/send-mail.js"

/** Options of the provider. */
export type MailgunOptions = MailUserConfig & {
  /** The region in which the domain is registered. @default "US" */
  region?: "US" | "EU" | undefined
}

const HOSTS = { US: "api.mailgun.net", EU: "api.eu.mailgun.net" } as const

const toDomain = (address: string): string => address.slice(address.indexOf("@") + 1)

function toForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

/**
 * Email links sent with Mailgun, from the domain of `from`.
 * Console: https://app.mailgun.com/settings/api_security
 * @see https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages
 * @example
 * import Mailgun from "latchkey/providers/mailgun"
 * app.use(authMiddleware({ providers: [Mailgun({ from: "Example <no-reply@mg.example.com>", region: "EU" })], adapter
 * }))
 */
const Mailgun = mailProvider<MailgunOptions>(
  { id: "mailgun", name: "Mailgun", requires: ["apiKey", "from"] },
  ({ apiKey, from, sender, to, subject, html, text, provider: { region } }) => ({
    url: `https://${region === "EU" ? HOSTS.EU : HOSTS.US}/v3/${encodeURIComponent(toDomain(sender.address))}/messages`,
    headers: { authorization: `Basic ${Buffer.from(`api:${apiKey}`).toString("base64")}` },
    // A tracked link redirects through the vendor's servers, which would log its token.
    body: toForm({ from, to, subject, html, text, "o:tracking-clicks": "no" }),
  }),
)

export default Mailgun
