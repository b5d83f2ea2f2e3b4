import { asError } from "../../errors.js"
import { defined } from "../../merge.js"
import type { EmailConfig } from "../../providers/provider.js"
import type { MailConfig } from "../../providers/send-mail.js"
import { type Check, type DoctorFinding, fail, ok } from "./finding.js"

/** Does an address or do options of nodemailer have a name and password? A transport of the application's own may. */
function hasAuth(server: unknown): boolean {
  if (typeof server === "string") return URL.canParse(server) && new URL(server).username !== ""
  const { auth, options } = Object(server)
  return Boolean(auth ?? Object(options).auth)
}

async function ask(provider: EmailConfig & Partial<MailConfig>): Promise<DoctorFinding[]> {
  if (!provider.verifyServer || provider.options?.sendVerificationRequest) return []
  const merged = { ...provider, ...defined(provider.options) }
  try {
    await provider.verifyServer(merged)
    const taken = hasAuth(merged.server)
      ? "the mail server takes our name and password"
      : "the mail server answers; no name and password are set"
    return [ok("mail-server-unreachable", provider.id, taken)]
  } catch (error) {
    return [
      fail("mail-server-unreachable", provider.id, "the mail server can't be reached, or refuses us", {
        seen: asError(error).message,
        write: "the host, the port and the password that your mail provider gives: 465 with smtps://, 587 with smtp://",
      }),
    ]
  }
}

/** Greets each mail server, signs in there, and sends nothing. */
export const checkMailServers: Check = {
  group: "Mail",
  code: "mail-server-unreachable",
  calls: ({ providers }) => providers.some((provider) => provider.type === "email" && "verifyServer" in provider),
  async run({ providers }) {
    const found = await Promise.all(providers.flatMap((provider) => (provider.type === "email" ? [ask(provider)] : [])))
    return found.flat()
  },
}
