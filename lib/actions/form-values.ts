/**
 * The values that a sign-in form shows again after a failure: the user name, and the choice to stay signed in. A sealed
 * cookie carries the values, so that they do not appear in a URL, the browser history or a log.
 *
 * @module
 */

import { isPlainObject } from "../base/merge.js"
import type { CookieChange } from "../base/types.js"
import type { AuthCall } from "../http/call.js"
import { FAILURE_COOKIE_MAX_AGE_SECONDS } from "../http/cookies.js"
import type { FormValues } from "../pages/props.js"
import { isCrossSite } from "../security/csrf.js"
import { openOrEmpty, seal } from "../security/jwe.js"
import type { ActionRuntime } from "./action.js"

const PURPOSE = "latchkey.form-values"

function readIdentifyingValues(call: AuthCall, runtime: ActionRuntime): FormValues["values"] {
  const found = runtime.providers.get(call.providerId ?? "")
  return found?.method.needs.formValues?.(call.body, found.provider) ?? {}
}

/**
 * Returns the change that sets the cookie with the identifying values of the failed form and the choice to stay signed
 * in. Returns no change if another site sent the form, because that site could then choose the user name that the
 * sign-in page shows.
 */
export function createFormValuesCookie(call: AuthCall, runtime: ActionRuntime): CookieChange[] {
  if (call.method === "POST" && isCrossSite(call.headers, new URL(call.origin).host)) return []
  const values = readIdentifyingValues(call, runtime)
  const remember = runtime.config.session.remember === "ask" && call.remember
  if (Object.keys(values).length === 0 && !remember) return []
  const claims = { provider: call.providerId, values, remember }
  const value = seal(claims, runtime.keys.for(PURPOSE), FAILURE_COOKIE_MAX_AGE_SECONDS, runtime.now())
  return [{ put: "formValues", value }]
}

/** Decrypts the value of the cookie; undefined if it has expired or was not sealed with a current secret. */
export function openFormValues(value: string, runtime: Pick<ActionRuntime, "keys" | "now">): FormValues | undefined {
  const { provider, values, remember } = openOrEmpty(value, runtime.keys.for(PURPOSE), runtime.now())
  // Only this module seals for this purpose, so the shape is known.
  return isPlainObject(values)
    ? { provider: String(provider), values: values as FormValues["values"], remember: remember === true }
    : undefined
}

/** Returns the values for the sign-in page, and the change that clears the cookie, so that they are shown only once. */
export function readFormValues(
  call: AuthCall,
  runtime: ActionRuntime,
): { readonly formValues: FormValues | undefined; readonly cookies: readonly CookieChange[] } {
  const value = call.cookies[call.cookieSet.formValues.name]
  if (value === undefined) return { formValues: undefined, cookies: [] }
  return { formValues: openFormValues(value, runtime), cookies: [{ drop: "formValues" }] }
}
