/**
 * The return URL of a sign-in link. It is sealed, because a readable URL would let anyone who requests a link insert
 * text into an email from this site.
 *
 * @module
 */

import type { AuthCall } from "../../http/call.js"
import { readClaims, SealError, seal, unseal } from "../../security/jwe.js"
import type { MethodRuntime } from "../method.js"
import type { ReadyEmail } from "./prepare.js"

const PURPOSE = "latchkey.email-return-url"

export const sealReturnUrl = (
  { callbackUrl }: AuthCall,
  { maxAgeSeconds }: ReadyEmail,
  runtime: MethodRuntime,
): string => seal({ callbackUrl }, runtime.keys.for(PURPOSE), maxAgeSeconds, runtime.now())

/** Reads the return URL of a link; undefined if it has none, like the links of Auth.js. */
export function readReturnUrl({ query }: AuthCall, runtime: MethodRuntime): string | undefined {
  if (query["state"] === undefined) return undefined
  const claims = readClaims(unseal(query["state"], runtime.keys.for(PURPOSE)), runtime.now())
  const callbackUrl = claims instanceof SealError ? undefined : claims["callbackUrl"]
  return typeof callbackUrl === "string" ? callbackUrl : undefined
}
