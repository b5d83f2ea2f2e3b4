import type { VerificationToken } from "../../adapters/adapter.js"
import { coded } from "../../errors/error-codes.js"
import { Verification } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { type Reply, redirect } from "../../http/reply.js"
import type { CodeErrorParam } from "../../pages/messages.js"
import { isEqualText } from "../../security/tokens.js"
import type { CallbackState, MethodRuntime } from "../method.js"
import { parseCode } from "./code.js"
import { consumeStoredLink } from "./link.js"
import type { ReadyEmail } from "./prepare.js"
import type { LinkRequest } from "./requesting-browser.js"
import { checkEmailUrl } from "./start.js"

/** A submitted code. */
export interface PendingCode {
  readonly submitted: string
  /** The latest request for a link that this browser made to the same provider. */
  readonly request: LinkRequest | undefined
}

interface CodeRefusal {
  readonly error: CodeErrorParam
  /** Completes the sentence "a sign-in code …". */
  readonly reason: string
}

const unusableCode = (reason: string): CodeRefusal => ({ error: "EmailCodeExpired", reason })
const wrongCode = (reason: string): CodeRefusal => ({ error: "EmailCode", reason })

/**
 * Returns why a code is refused; undefined if it is correct. Counts a try, unless this browser has no code, or the code
 * is expired or malformed.
 */
async function findRefusal(
  { submitted, request }: PendingCode,
  { countCodeAttempt, now }: MethodRuntime,
): Promise<CodeRefusal | undefined> {
  if (!request?.code) return unusableCode("was submitted in a browser that did not request it")
  if (request.code.expires < now()) return unusableCode("is expired")
  const code = parseCode(submitted)
  if (code === undefined) return wrongCode("has the wrong format")
  // Counted before the comparison, so that concurrent requests can't exceed the limit.
  if ((await countCodeAttempt(request.link)) !== undefined) return unusableCode("was refused after five tries")
  return isEqualText(code, request.code.text) ? undefined : wrongCode("is wrong")
}

type CodeState = CallbackState<ReadyEmail, PendingCode>

/** Logs the refusal of a code, and redirects to the page "Check your email". */
function replyToRefused(
  call: AuthCall,
  { provider }: Pick<CodeState, "provider">,
  { error, reason }: CodeRefusal,
  runtime: MethodRuntime,
): Reply {
  const failure = new Verification(`a sign-in code ${reason}`, { provider: provider.id })
  runtime.logger.failure(coded("email-code-refused", failure))
  call.trace?.write("email", `the code ${reason}`)
  return redirect(checkEmailUrl(call, provider, error))
}

/** Logs a refused code and returns the reply; undefined if the code is correct. In both cases the link stays valid. */
export async function refuseCode(call: AuthCall, state: CodeState, runtime: MethodRuntime): Promise<Reply | undefined> {
  const refusal = await findRefusal(state.pending, runtime)
  return refusal && replyToRefused(call, state, refusal, runtime)
}

/** Consumes the stored link of a correct code. Returns a reply if the link was used, has expired or was replaced. */
export async function consumeCode(
  call: AuthCall,
  { provider, pending }: CodeState,
  runtime: MethodRuntime,
): Promise<VerificationToken | Reply> {
  const { identifier: email = "", code } = { ...pending.request }
  try {
    return await consumeStoredLink({ email, hashes: code ? [code.hash] : [] }, provider, runtime)
  } catch (error) {
    if (!(error instanceof Verification)) throw error
    return replyToRefused(call, { provider }, unusableCode(`can't be used: ${error.message}`), runtime)
  }
}
