import * as oauth from "oauth4webapi"
import type { MessageCode } from "../../codes/index.js"
import { Fault } from "../../error-codes.js"
import { isError } from "../../errors.js"
import { refusalCode } from "./fault.js"
import { TokenRefusal } from "./token-request.js"

/** By the codes of the library; its texts may change. */
const REASONS: Readonly<Record<string, MessageCode>> = {
  [oauth.JWT_TIMESTAMP_CHECK]: "clock-skew",
}

/** What is the matter with a claim is no matter of clocks where it says when a person has signed in. */
const CLAIM_REASONS: Readonly<Record<string, MessageCode>> = {
  iss: "issuer-mismatch",
  auth_time: "provider-answer-invalid",
}

/** Why a sign-in at a provider failed, where that is known; undefined where the error's words are all there is. */
export function reasonOf(error: unknown): MessageCode | undefined {
  if (error instanceof Fault) return error.messageCode
  if (error instanceof TokenRefusal) return refusalCode(error)
  if (!isError(error)) return undefined
  const claim: unknown = Reflect.get(Object(error.cause), "claim")
  const code: unknown = Reflect.get(error, "code")
  return CLAIM_REASONS[String(claim)] ?? REASONS[String(code)]
}
