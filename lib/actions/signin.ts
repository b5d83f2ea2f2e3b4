import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { signInProps } from "../pages/build-props.js"
import type { Runtime } from "../runtime.js"
import { pageUrl } from "../security/redirects.js"
import type { Action } from "./action.js"
import { continueElsewhere } from "./continue-elsewhere.js"
import { receiveFormValues } from "./form-values.js"
import { receiveReference } from "./reference.js"
import { requireProvider } from "./require-provider.js"

async function showPage(call: AuthCall, runtime: Runtime): Promise<Reply> {
  if (call.providerId !== undefined) requireProvider(call, runtime)
  const { signIn } = runtime.config.pages
  const { error } = call.query
  if (signIn) return redirect(pageUrl(signIn, call.origin, { callbackUrl: call.callbackUrl, error }))
  const { cookies, ...told } = await receiveReference(call, runtime)
  const { formValues, cookies: shown } = receiveFormValues(call, runtime)
  const props = signInProps({ ...call, ...told, formValues }, runtime)
  return withCookies([...cookies, ...shown], html(runtime.pages.render("signin", props)))
}

async function begin(call: AuthCall, runtime: Runtime): Promise<Reply> {
  if (call.providerId === undefined) return redirect(`${call.base}/signin`)
  const { method, provider } = requireProvider(call, runtime)
  if (!method.start) return redirect(`${call.base}/signin`)
  return continueElsewhere(await method.start(call, provider, runtime), call, runtime)
}

/** How long beginning may take, where the provider's method says so; whether there is one is seen later. */
function patienceOf(call: AuthCall, runtime: Runtime): { readonly patienceMs?: number } {
  const found = runtime.providers.get(call.providerId ?? "")
  const patienceMs = found?.method.needs.startPatienceMs?.(found.provider)
  return patienceMs === undefined ? {} : { patienceMs }
}

/** GET shows the ways to sign in, POST begins one of them. */
export const signin: Action = (call, runtime) => ({
  GET: { gate: { needsCsrf: false, givesCsrf: true, hasCallbackUrl: true }, handle: showPage },
  POST: {
    gate: { needsCsrf: true, givesCsrf: false, hasCallbackUrl: true },
    handle: begin,
    ...patienceOf(call, runtime),
  },
})
