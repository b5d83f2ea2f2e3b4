import { asError } from "../../errors/errors.js"
import { mergeOptions } from "../../methods/shared/merge-options.js"
import type { ProviderObject } from "../../provider-kit/provider.js"
import type { MailConfig } from "../../provider-kit/send-mail.js"
import { type DoctorContext, type DoctorFinding, fail, ok, skipOffline } from "./check.js"

/** An email provider that can verify the connection to its email server. */
type ServerConfig = MailConfig & Required<Pick<MailConfig, "verifyServer">>

/** True if the URL of an email server contains a user name, or the options of a nodemailer transport contain `auth`. */
function hasAuth(server: unknown): boolean {
  if (typeof server === "string") return URL.canParse(server) && new URL(server).username !== ""
  const { auth, options } = Object(server)
  return Boolean(auth ?? Object(options).auth)
}

const hasServer = (provider: ProviderObject): provider is ServerConfig => "verifyServer" in provider

async function checkServer(provider: ServerConfig): Promise<DoctorFinding[]> {
  if (provider.options?.sendVerificationRequest) return []
  const merged = mergeOptions(provider)
  try {
    await provider.verifyServer(merged)
  } catch (error) {
    const fix =
      "check the host, the port and the password of your email provider. Use port 465 with smtps://, or 587 with smtp://"
    return [fail("mail-server-unreachable", provider.id, { seen: asError(error).message, fix })]
  }
  const result = hasAuth(merged.server)
    ? "the email server accepts the name and password"
    : "the email server answers; no name and password are set"
  return [ok("mail-server-unreachable", provider.id, result)]
}

/** Connects to each email server, and authenticates if a name and password are set. Sends no email. */
export async function checkMailServers({ resolved, options }: DoctorContext): Promise<readonly DoctorFinding[]> {
  const providers = resolved.providers.filter(hasServer)
  if (options.isOffline) return providers.length > 0 ? [skipOffline("mail-server-unreachable", "email")] : []
  return (await Promise.all(providers.map(checkServer))).flat()
}
