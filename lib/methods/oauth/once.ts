import { coded } from "../../error-codes.js"
import { OAuthCallbackError } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import type { ReadyOAuth } from "./prepare.js"

/** What decides of an answer, or is believed of it; of the rest nobody cares how often it stands there. */
const ONCE = ["code", "state", "iss", "error", "user", "response", "id_token", "token"]

/** RFC 6749 §3.1. Of two that differ somebody before us may have looked at the other one. */
export function requireOnce({ url, repeatedFields }: AuthCall, { id }: ReadyOAuth): void {
  const twice = ONCE.find((name) => repeatedFields.includes(name) || url.searchParams.getAll(name).length > 1)
  if (!twice) return
  const err = new Error(`the provider's answer has "${twice}" more than once`)
  throw coded(
    "provider-answer-invalid",
    new OAuthCallbackError("the provider's answer can't be used", { provider: id, err }),
  )
}
