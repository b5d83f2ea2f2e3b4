/**
 * What a failed sign-in form shows again, such as the user name. It travels to the page in a sealed cookie, so that it
 * is in no URL, history or log.
 *
 * @module
 */
import type { AuthCall } from "../http/call.js"
import { type CookieChange, REFERENCE_MAX_AGE_SECONDS } from "../http/cookies.js"
import { isPlainObject } from "../merge.js"
import { identifyingValues } from "../methods/credentials/names.js"
import type { FormValues } from "../pages/props.js"
import type { Runtime } from "../runtime.js"
import { isCrossSite } from "../security/csrf.js"
import { open, seal } from "../security/jwe.js"

const PURPOSE = "latchkey.form-values"

function valuesOf(call: AuthCall, runtime: Runtime): FormValues["values"] {
  const { type, inputs } = runtime.providers.get(call.providerId ?? "")?.provider ?? {}
  if (type === "credentials") return identifyingValues(call.body, inputs ?? {})
  return type === "email" ? identifyingValues({ email: call.body["email"] }, {}) : {}
}

/** Keeps what identifies the user in the form that failed. A form that another site sent could fill in any name. */
export function sendFormValues(call: AuthCall, runtime: Runtime): CookieChange[] {
  if (isCrossSite(call.headers, new URL(call.origin).host)) return []
  const values = valuesOf(call, runtime)
  if (Object.keys(values).length === 0) return []
  const claims = { provider: call.providerId, values }
  const value = seal(claims, runtime.keys.for(PURPOSE), REFERENCE_MAX_AGE_SECONDS, runtime.now())
  return [{ put: "formValues", value }]
}

/** Reads the cookie; undefined if it is expired or was not sealed by this configuration. */
export function openFormValues(value: string, runtime: Pick<Runtime, "keys" | "now">): FormValues | undefined {
  try {
    const { provider, values } = open(value, runtime.keys.for(PURPOSE), runtime.now())
    // The seal is ours, and so is the form of what it holds.
    return isPlainObject(values) ? { provider: String(provider), values: values as FormValues["values"] } : undefined
  } catch {
    return undefined
  }
}

/** What was sent to the sign-in page, which shows it once. */
export function receiveFormValues(
  call: AuthCall,
  runtime: Runtime,
): { readonly formValues: FormValues | undefined; readonly cookies: readonly CookieChange[] } {
  const value = call.cookies[call.cookieSet.formValues.name]
  if (value === undefined) return { formValues: undefined, cookies: [] }
  return { formValues: openFormValues(value, runtime), cookies: [{ drop: "formValues" }] }
}
