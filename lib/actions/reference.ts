/**
 * Passes the log reference of a failure to the page that reports the failure. A sealed cookie carries the reference: in
 * the URL it could be forged, and Auth.js defines the query of the page. Details for developers stay in this process.
 * The cookie contains only the key under which they are stored.
 *
 * @module
 */

import type { CookieChange } from "../base/types.js"
import type { AuthCall } from "../http/call.js"
import { REFERENCE_MAX_AGE_SECONDS } from "../http/cookies.js"
import type { FailureRecord } from "../logging/logger.js"
import { developerProps } from "../pages/developer.js"
import type { DeveloperProps } from "../pages/props.js"
import { type Claims, openOrEmpty, seal } from "../security/jwe.js"
import { randomText } from "../security/tokens.js"
import type { ActionRuntime } from "./action.js"

const PURPOSE = "latchkey.reference"

/** The details of a failure that its page shows. */
export interface FailureNotice {
  /** The reference of the log record; undefined if the failure was not logged as an error. */
  readonly reference: string | undefined
  /** The log record. Set only if the page may show it to the developer. */
  readonly diagnosis: FailureRecord | undefined
}

function storeDiagnosis(diagnosis: FailureRecord | undefined, { failureDetails }: ActionRuntime): string | undefined {
  if (!diagnosis) return undefined
  const key = randomText()
  failureDetails.set(key, diagnosis)
  return key
}

/** Returns the cookie with the notice. Only a page with this `error` in its query shows the notice. */
export function sendReference(
  { reference, diagnosis }: FailureNotice,
  error: string,
  runtime: ActionRuntime,
): CookieChange[] {
  if (reference === undefined && diagnosis === undefined) return []
  const claims = { reference, error, diagnosis: storeDiagnosis(diagnosis, runtime) }
  const value = seal(claims, runtime.keys.for(PURPOSE), REFERENCE_MAX_AGE_SECONDS, runtime.now())
  return [{ put: "errorReference", value }]
}

/** The contents of the cookie, which the page shows once. */
export interface ReceivedReference {
  /** The reference of the failure that the page reports, if any. */
  readonly reference: string | undefined
  readonly developer: DeveloperProps | undefined
  readonly cookies: readonly CookieChange[]
}

/** Reads and clears the cookie. */
export function receiveReference(call: AuthCall, runtime: ActionRuntime): ReceivedReference {
  const value = call.cookies[call.cookieSet.errorReference.name]
  if (value === undefined) return { reference: undefined, developer: undefined, cookies: [] }
  const claims = readClaims(value, call, runtime)
  const diagnosis = runtime.failureDetails.get(String(claims["diagnosis"]))
  return {
    reference: typeof claims["reference"] === "string" ? claims["reference"] : undefined,
    developer: diagnosis && developerProps(diagnosis),
    cookies: [{ drop: "errorReference" }],
  }
}

function readClaims(value: string, call: AuthCall, runtime: ActionRuntime): Claims {
  const claims = openOrEmpty(value, runtime.keys.for(PURPOSE), runtime.now())
  // The cookie may belong to a different failure in another tab.
  return claims["error"] === call.query["error"] ? claims : {}
}
