/**
 * Extensions of OAuth that a provider may require and that are not supported here.
 *
 * @module
 */
import type { AuthorizationServer } from "oauth4webapi"
import { CodedError } from "../../errors/error-codes.js"
import type { MessageCode } from "../../errors/message-code.js"

export interface Requirement {
  readonly code: MessageCode
  readonly hint: string
}

const requirement = (what: string): Requirement => ({
  code: "extension-required",
  hint: `the provider requires ${what}, which latchkey does not support: turn the requirement off for this client at the provider`,
})

const PUSHED = requirement("pushed authorization requests (PAR, RFC 9126)")
const SIGNED = requirement("signed request objects (JAR, RFC 9101)")
const DPOP = requirement("DPoP proofs (RFC 9449)")

/** Lists the extensions that the provider's metadata requires of every client. */
export const listRequirements = (as: AuthorizationServer): Requirement[] => [
  ...(as.require_pushed_authorization_requests === true ? [PUSHED] : []),
  ...(as["require_signed_request_object"] === true ? [SIGNED] : []),
]

/** @throws CodedError if the provider requires an unsupported extension */
export function checkRequirements(as: AuthorizationServer): void {
  const [required] = listRequirements(as)
  if (required) throw new CodedError(required.code, required.hint)
}

/** Returns the extension that the provider's error requires of this client. */
export function requirementIn(error: string, description: unknown): Requirement | undefined {
  const text = `${error} ${typeof description === "string" ? description : ""}`
  if (/dpop/i.test(text)) return DPOP
  if (/pushed.authorization.request/i.test(text)) return PUSHED
  return /request.object.*(?:must|required|missing)|(?:requires?|missing).*request.object/i.test(text)
    ? SIGNED
    : undefined
}
