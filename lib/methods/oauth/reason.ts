import * as oauth from "oauth4webapi"
import { CodedError } from "../../errors/error-codes.js"
import { isError } from "../../errors/errors.js"
import type { MessageCode } from "../../errors/message-code.js"
import { EndpointRefusal, refusalCode } from "./provider-errors.js"

/** Keyed by the error codes of `oauth4webapi`, whose messages may change. */
const REASONS: Readonly<Record<string, MessageCode>> = {
  [oauth.JWT_TIMESTAMP_CHECK]: "clock-skew",
}

/** Keyed by the invalid claim. These take precedence: an old `auth_time` is a timestamp error, but not a clock skew. */
const CLAIM_REASONS: Readonly<Record<string, MessageCode>> = {
  iss: "issuer-mismatch",
  auth_time: "provider-answer-invalid",
}

/** Returns the code for the cause of a failed sign-in. Undefined if only the error's message describes the cause. */
export function readReason(error: unknown): MessageCode | undefined {
  if (error instanceof CodedError) return error.messageCode
  if (error instanceof EndpointRefusal) return refusalCode(error)
  if (!isError(error)) return undefined
  const claim: unknown = Reflect.get(Object(error.cause), "claim")
  const code: unknown = Reflect.get(error, "code")
  return CLAIM_REASONS[String(claim)] ?? REASONS[String(code)]
}
