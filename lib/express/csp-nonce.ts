import { isNonce } from "../pages/headers.js"
import type { NodeRequest, NodeResponse } from "./node.js"

/** Removes the quotes and the prefix of `'nonce-…'`, the form in a directive of a policy. */
const unquote = (text: string): string => /^'nonce-(.*)'$/.exec(text)?.[1] ?? text

/**
 * The application's nonce for this response, from `res.locals.cspNonce`: text, or a function of request and response
 * that returns text, as is common with helmet. Undefined for any other value.
 */
export function readCspNonce(req: NodeRequest, res: NodeResponse | undefined): string | undefined {
  const local: unknown = res?.locals?.["cspNonce"]
  const value: unknown = typeof local === "function" ? local(req, res) : local
  const nonce = typeof value === "string" ? unquote(value) : undefined
  return nonce !== undefined && isNonce(nonce) ? nonce : undefined
}
