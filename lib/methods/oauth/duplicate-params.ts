import { coded } from "../../errors/error-codes.js"
import { OAuthCallbackError } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import type { ReadyOAuth } from "./prepare.js"

/** The security-relevant parameters of a response. Other parameters may be repeated. */
const SINGLE_PARAMS = ["code", "state", "iss", "error", "user", "response", "id_token", "token"]

/**
 * Rejects a response that repeats one of the parameters in `SINGLE_PARAMS` (RFC 6749 §3.1). A proxy in front of the
 * application may have checked one value, while this package would use another.
 *
 * @throws OAuthCallbackError that names the parameter
 */
export function rejectDuplicateParams({ url, repeatedFields }: AuthCall, { id }: ReadyOAuth): void {
  const duplicate = SINGLE_PARAMS.find(
    (name) => repeatedFields.includes(name) || url.searchParams.getAll(name).length > 1,
  )
  if (!duplicate) return
  const err = new Error(`the provider's response has "${duplicate}" more than once`)
  throw coded(
    "provider-answer-invalid",
    new OAuthCallbackError("the provider's response can't be used", { provider: id, err }),
  )
}
