/**
 * What the log says of a failure, on its way to the page that a developer sees: in development alone, and to nobody who
 * does not sit at this machine.
 *
 * @module
 */
import type { MessageCode } from "../codes/index.js"
import type { AuthError } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import { type FailureRecord, recordOf } from "../logger.js"
import type { Runtime } from "../runtime.js"
import { isFromThisMachine } from "../security/this-machine.js"

/** What people do by themselves while they sign in: the page says it as well. */
const UNREMARKABLE: ReadonlySet<MessageCode> = new Set([
  "credentials-refused",
  "email-address-invalid",
  "sign-in-cancelled",
])

/** What a developer is to be told of a failure; undefined where nobody is. */
export function diagnose(error: AuthError, call: AuthCall, { config }: Runtime): FailureRecord | undefined {
  if (!config.isDevelopment || UNREMARKABLE.has(error.messageCode) || !isFromThisMachine(call)) return undefined
  return recordOf(error)
}
