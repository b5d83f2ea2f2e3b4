import { coded } from "../../errors/error-codes.js"
import { Verification } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { type Reply, redirect } from "../../http/reply.js"
import type { CodeErrorParam } from "../../pages/messages.js"
import { isEqualText } from "../../security/tokens.js"
import type { CallbackState, MethodRuntime } from "../method.js"
import { parseCode } from "./code.js"
import type { ReadyEmail } from "./prepare.js"
import type { LinkRequest } from "./requesting-browser.js"
import { checkEmailUrl } from "./start.js"

/** A submitted code, and the request for a link that this browser has made to the same provider. */
export interface PendingCode {
  readonly submitted: string
  readonly request: LinkRequest | undefined
}

interface CodeRefusal {
  readonly error: CodeErrorParam
  /** Completes the sentence "a sign-in code …". */
  readonly reason: string
}

const expired = (reason: string): CodeRefusal => ({ error: "EmailCodeExpired", reason })
const wrong = (reason: string): CodeRefusal => ({ error: "EmailCode", reason })

/** Returns why a code is refused. Only texts that can be a code count as a try. */
async function findRefusal(
  { submitted, request }: PendingCode,
  { countCodeTry, now }: MethodRuntime,
): Promise<CodeRefusal | undefined> {
  if (!request?.code) return expired("was submitted in a browser that did not request it")
  if (request.code.expires < now()) return expired("is expired")
  const code = parseCode(submitted)
  if (code === undefined) return wrong("has the wrong form")
  // Counted before the comparison, so that concurrent requests have no further tries.
  if ((await countCodeTry(request.link)) !== undefined) return expired("was refused after five tries")
  return isEqualText(code, request.code.text) ? undefined : wrong("is wrong")
}

/** Leads back to the page "Check your email" if the code is refused. The link stays valid. */
export async function refuseCode(
  call: AuthCall,
  { provider, pending }: CallbackState<ReadyEmail, PendingCode>,
  runtime: MethodRuntime,
): Promise<Reply | undefined> {
  const refusal = await findRefusal(pending, runtime)
  if (!refusal) return undefined
  const error = new Verification(`a sign-in code ${refusal.reason}`, { provider: provider.id })
  runtime.logger.failure(coded("email-code-refused", error))
  call.trace?.write("email", `the code ${refusal.reason}; the link stays valid`)
  return redirect(checkEmailUrl(call, provider, refusal.error))
}
