/**
 * The reference of a failure on its way to the page that tells of it. A cookie carries it: the address of the page is
 * the contract's, and in an address anybody could write one.
 *
 * @module
 */
import type { AuthCall } from "../http/call.js"
import { type CookieChange, REFERENCE_MAX_AGE_SECONDS } from "../http/cookies.js"
import type { Runtime } from "../runtime.js"
import { open, seal } from "../security/jwe.js"

/** Seals of a reference open for nothing else. */
const PURPOSE = "latchkey.reference"

/** Sends the reference along to the page that is called with this `error`. */
export const sendReference = (reference: string, error: string, runtime: Runtime): CookieChange => ({
  put: "errorReference",
  value: seal({ reference, error }, runtime.keys.for(PURPOSE), REFERENCE_MAX_AGE_SECONDS, runtime.now()),
})

/** What a page does with the cookie: it shows the reference once. */
export interface ReceivedReference {
  /** That of the failure that the page tells of, or undefined. */
  readonly reference: string | undefined
  readonly cookies: readonly CookieChange[]
}

/** The reference that was sent to this page. */
export function receiveReference(call: AuthCall, runtime: Runtime): ReceivedReference {
  const value = call.cookies[call.cookieSet.errorReference.name]
  if (value === undefined) return { reference: undefined, cookies: [] }
  return { reference: read(value, call, runtime), cookies: [{ drop: "errorReference" }] }
}

function read(value: string, call: AuthCall, runtime: Runtime): string | undefined {
  try {
    const { reference, error } = open(value, runtime.keys.for(PURPOSE), runtime.now())
    // Another tab may have failed in another way since.
    return typeof reference === "string" && error === call.query["error"] ? reference : undefined
  } catch {
    // Too old, of another secret, or nobody's.
    return undefined
  }
}
