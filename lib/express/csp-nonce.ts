import { isNonce } from "../pages/headers.js"
import type { NodeRequest, NodeResponse } from "./node.js"

/**
 * Returns the nonce in `'nonce-…'`, the form in which a CSP directive contains it. Other text is returned unchanged.
 */
const unquote = (text: string): string => /^'nonce-(.*)'$/.exec(text)?.[1] ?? text

/**
 * Returns the application's CSP nonce for this response. The application sets it in `res.locals.cspNonce`, as text or
 * as a function of request and response that returns text, as is common with helmet. Returns undefined for other
 * values.
 */
export function readCspNonce(req: NodeRequest, res: NodeResponse | undefined): string | undefined {
  const setting: unknown = res?.locals?.["cspNonce"]
  const value: unknown = typeof setting === "function" ? setting(req, res) : setting
  const nonce = typeof value === "string" ? unquote(value) : undefined
  return nonce !== undefined && isNonce(nonce) ? nonce : undefined
}
