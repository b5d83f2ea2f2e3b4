/**
 * Selects the log record of a failure for display on the error page. This happens in development only, and for requests
 * from the same machine only.
 *
 * @module
 */

import { isLoopbackRequest } from "../base/loopback.js"
import type { AuthError } from "../errors/errors.js"
import type { MessageCode } from "../errors/message-code.js"
import type { AuthCall } from "../http/call.js"
import { createFailureRecord, type FailureRecord } from "../logging/logger.js"
import type { ActionRuntime } from "./action.js"

/** Failures that users cause themselves. The page already explains them, so the log record adds nothing. */
const USER_ERRORS: ReadonlySet<MessageCode> = new Set([
  "credentials-refused",
  "email-address-invalid",
  "sign-in-cancelled",
])

/** Returns the log record to show to the developer, or undefined if none may be shown. */
export function diagnose(error: AuthError, call: AuthCall, { config }: ActionRuntime): FailureRecord | undefined {
  if (!config.isDevelopment || USER_ERRORS.has(error.messageCode) || !isLoopbackRequest(call)) return undefined
  return createFailureRecord(error)
}
