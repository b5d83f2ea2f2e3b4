import { AccessDenied, asAuthError, asError } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import type { Runtime } from "../runtime.js"
import { requireTarget } from "../security/redirects.js"
import type { Account, CallbacksOptions } from "../types.js"

type Question = Parameters<NonNullable<CallbacksOptions["signIn"]>>[0] & { readonly account: Account }

/**
 * Asks the `signIn` callback; gives an address when it sends the person elsewhere.
 *
 * @throws AccessDenied when it refuses
 */
export async function askApplication(
  question: Question,
  call: AuthCall,
  { callbacks, config }: Runtime,
): Promise<string | undefined> {
  const { provider } = question.account
  let answer: boolean | string
  try {
    answer = await callbacks.signIn(question)
  } catch (error) {
    // The person is refused, and the application has something to mend.
    throw (
      asAuthError(error) ??
      Object.assign(new AccessDenied("callbacks.signIn threw an error", { err: asError(error), provider }), {
        level: "error",
      })
    )
  }
  if (config.callbacks.signIn)
    call.story?.tell(
      "account",
      `callbacks.signIn said ${typeof answer === "string" ? "to go elsewhere" : Boolean(answer)}`,
    )
  if (!answer) throw new AccessDenied("callbacks.signIn refused", { provider })
  if (typeof answer !== "string") return undefined
  return requireTarget(await callbacks.redirect({ url: answer, baseUrl: call.origin }), call.origin)
}
