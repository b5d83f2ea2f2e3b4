import * as oauth from "oauth4webapi"
import { CodedError } from "../../errors/error-codes.js"
import { isError } from "../../errors/errors.js"
import type { MessageCode } from "../../errors/message-code.js"
import { EndpointRefusal, refusalCode } from "./provider-errors.js"

/** Maps error codes of `oauth4webapi` to the codes of this package. */
const CODES_BY_ERROR: Readonly<Record<string, MessageCode>> = {
  [oauth.JWT_TIMESTAMP_CHECK]: "clock-skew",
}

/**
 * Maps an invalid claim to a code. This table takes precedence over `CODES_BY_ERROR`, because `oauth4webapi` reports an
 * old `auth_time` as a timestamp error, although it is no clock skew.
 */
const CODES_BY_CLAIM: Readonly<Record<string, MessageCode>> = {
  iss: "issuer-mismatch",
  auth_time: "provider-answer-invalid",
}

/** Returns the code for the cause of a failed sign-in; undefined if no specific code exists for the error. */
export function readMessageCode(error: unknown): MessageCode | undefined {
  if (error instanceof CodedError) return error.messageCode
  if (error instanceof EndpointRefusal) return refusalCode(error)
  if (!isError(error)) return undefined
  const claim: unknown = Reflect.get(Object(error.cause), "claim")
  const code: unknown = Reflect.get(error, "code")
  return CODES_BY_CLAIM[String(claim)] ?? CODES_BY_ERROR[String(code)]
}
