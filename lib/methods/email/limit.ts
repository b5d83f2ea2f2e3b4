import { TooManyAttempts } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import type { Limits } from "../../security/limits.js"
import type { LimitName } from "../../security/rate-limit.js"
import type { MethodRuntime } from "../method.js"
import type { ReadyEmail } from "./prepare.js"
import { isKnownBrowser } from "./requesting-browser.js"

/** The mailbox of an address: many services ignore what follows a "+", and dots before the "@". */
function toMailbox(identifier: string): string {
  const at = identifier.lastIndexOf("@")
  // `normalizeIdentifier` may return an identifier that is not an email address.
  if (at < 0) return identifier
  const [local = ""] = identifier.slice(0, at).split(/(?<=.)\+/, 1)
  return `${local.replaceAll(".", "")}${identifier.slice(at)}`
}

/** Returns the first limit that is reached. Emails that one limit rejects do not count towards the following limits. */
async function findReachedLimit(identifier: string, call: AuthCall, limits: Limits) {
  const counts: [LimitName, () => Promise<number | undefined>][] = [
    ["emailsPerClient", () => limits.countClient("emailsPerClient", call.clientAddress)],
    ["emailsPerAddress", () => limits.count("emailsPerAddress", identifier)],
    ["emailsPerMailbox", () => limits.count("emailsPerMailbox", toMailbox(identifier))],
  ]
  for (const [name, count] of counts) if ((await count()) !== undefined) return name
  return undefined
}

/**
 * Counts an email and returns whether it may be sent. The client gets the same response either way; the operator finds
 * the reason in the log.
 */
export async function checkEmailLimits(
  identifier: string,
  call: AuthCall,
  provider: ReadyEmail,
  runtime: MethodRuntime,
) {
  const { limits, logger } = runtime
  if (!limits) return true
  const reached = await findReachedLimit(identifier, call, limits)
  if (reached === undefined) return true
  // Other clients can use up the limits above. Browsers where the address has signed in have a limit of their own.
  const isKnown = isKnownBrowser(identifier, call, runtime)
  if (isKnown && (await limits.count("emailsPerAddress", "known browser", identifier)) === undefined) return true
  const message = `too many sign-in emails: the limit ${reached} is reached, and none was sent`
  logger.failure(new TooManyAttempts(message, { provider: provider.id }))
  return false
}
