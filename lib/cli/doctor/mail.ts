import { asError } from "../../errors.js"
import { defined } from "../../merge.js"
import type { EmailConfig } from "../../providers/provider.js"
import type { MailConfig } from "../../providers/send-mail.js"
import { type Check, type DoctorFinding, fail, ok } from "./finding.js"

async function ask(provider: EmailConfig & Partial<MailConfig>): Promise<DoctorFinding[]> {
  if (!provider.verifyServer || provider.options?.sendVerificationRequest) return []
  const merged = { ...provider, ...defined(provider.options) }
  try {
    await provider.verifyServer(merged)
    return [ok("mail-server-unreachable", provider.id, "the mail server takes our name and password")]
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
