import { isNonce } from "../pages/headers.js"
import type { NodeRequest, NodeResponse } from "./node.js"

/** `'nonce-…'` is how a function for a policy's directive writes it. */
const unquoted = (text: string): string => /^'nonce-(.*)'$/.exec(text)?.[1] ?? text

/**
 * The nonce that the application chose for this answer, as its guides have it: text in `res.locals.cspNonce`, or a
 * function of request and response that gives it. Anything else is no nonce.
 */
export function cspNonceOf(req: NodeRequest, res: NodeResponse | undefined): string | undefined {
  const given: unknown = res?.locals?.["cspNonce"]
  const value: unknown = typeof given === "function" ? given(req, res) : given
  const nonce = typeof value === "string" ? unquoted(value) : undefined
  return nonce !== undefined && isNonce(nonce) ? nonce : undefined
}
