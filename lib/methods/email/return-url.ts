/**
 * The return URL of a sign-in link. It is sealed: a readable one would put words of whoever asks for the link into an
 * email that the site sends.
 *
 * @module
 */
import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import { readClaims, SealError, seal, unseal } from "../../security/jwe.js"
import type { ReadyEmail } from "./prepare.js"

const PURPOSE = "latchkey.email-return-url"

export const sealReturnUrl = ({ callbackUrl }: AuthCall, { maxAgeSeconds }: ReadyEmail, runtime: Runtime): string =>
  seal({ callbackUrl }, runtime.keys.for(PURPOSE), maxAgeSeconds, runtime.now())

/** The return URL in a link; undefined where it has none of ours, like the links of Auth.js. */
export function readReturnUrl({ query }: AuthCall, runtime: Runtime): string | undefined {
  if (query["state"] === undefined) return undefined
  const claims = readClaims(unseal(query["state"], runtime.keys.for(PURPOSE)), runtime.now())
  const callbackUrl = claims instanceof SealError ? undefined : claims["callbackUrl"]
  return typeof callbackUrl === "string" ? callbackUrl : undefined
}
