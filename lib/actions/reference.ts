/**
 * Passes the log reference of a failure to the page that reports the failure. A sealed cookie carries the reference,
 * because a reference in the URL could be forged. In development the page also shows the log record. The record stays
 * in this process, and the cookie contains the key under which it is stored.
 *
 * @module
 */

import type { CookieChange } from "../base/types.js"
import type { AuthCall } from "../http/call.js"
import { FAILURE_COOKIE_MAX_AGE_SECONDS } from "../http/cookies.js"
import type { FailureRecord } from "../logging/logger.js"
import { developerProps } from "../pages/developer.js"
import type { DeveloperProps } from "../pages/props.js"
import { type Claims, openOrEmpty, seal } from "../security/jwe.js"
import { randomText } from "../security/tokens.js"
import type { ActionRuntime } from "./action.js"

const PURPOSE = "latchkey.reference"

/** The details of a failure for the page that reports it. */
export interface FailureNotice {
  /** The reference of the log record; undefined if the failure was not logged as an error. */
  readonly reference: string | undefined
  /** The log record. Set only if the page may show it to the developer. */
  readonly failureRecord: FailureRecord | undefined
}

/** Stores a log record in this process. Returns the key of the record. */
function storeRecord(record: FailureRecord | undefined, { failureRecords }: ActionRuntime): string | undefined {
  if (!record) return undefined
  const key = randomText()
  failureRecords.set(key, record)
  return key
}

/**
 * Stores the log record, and returns the change that sets the cookie; no change if the notice is empty. The cookie
 * applies only to a page that has this `error` in its query.
 */
export function createReferenceCookie(
  { reference, failureRecord }: FailureNotice,
  error: string,
  runtime: ActionRuntime,
): CookieChange[] {
  if (reference === undefined && failureRecord === undefined) return []
  const claims = { reference, error, recordKey: storeRecord(failureRecord, runtime) }
  const value = seal(claims, runtime.keys.for(PURPOSE), FAILURE_COOKIE_MAX_AGE_SECONDS, runtime.now())
  return [{ put: "errorReference", value }]
}

/** The result of reading the cookie. */
export interface ReferenceRead {
  /** The reference of the failure that the page reports; undefined if the cookie has none for this page. */
  readonly reference: string | undefined
  /** The explanation for the developer, from the log record; undefined if there is no record. */
  readonly developer: DeveloperProps | undefined
  /** The change that clears the cookie, so that the page shows the reference only once. */
  readonly cookies: readonly CookieChange[]
}

/** Reads the cookie for the page of this call. */
export function readReference(call: AuthCall, runtime: ActionRuntime): ReferenceRead {
  const value = call.cookies[call.cookieSet.errorReference.name]
  if (value === undefined) return { reference: undefined, developer: undefined, cookies: [] }
  const claims = readClaims(value, call, runtime)
  const record = runtime.failureRecords.get(String(claims["recordKey"]))
  return {
    reference: typeof claims["reference"] === "string" ? claims["reference"] : undefined,
    developer: record && developerProps(record),
    cookies: [{ drop: "errorReference" }],
  }
}

/** Decrypts the cookie. Returns no claims if the cookie is invalid or belongs to a page with another `error`. */
function readClaims(value: string, call: AuthCall, runtime: ActionRuntime): Claims {
  const claims = openOrEmpty(value, runtime.keys.for(PURPOSE), runtime.now())
  // The cookie may belong to a different failure in another tab.
  return claims["error"] === call.query["error"] ? claims : {}
}
