import { cancelPendingSignIn } from "../accounts/pending-sign-in.js"
import type { User } from "../base/types.js"
import { asError } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { html, type Reply, redirect, withCookies } from "../http/reply.js"
import { signedInProps, signInProps } from "../pages/build-props.js"
import { pageUrl } from "../security/redirects.js"
import type { Action, ActionRuntime } from "./action.js"
import { readFormValues } from "./form-values.js"
import { redirectByPage } from "./redirect-by-page.js"
import { readReference } from "./reference.js"
import { requireProvider } from "./require-provider.js"

/**
 * Returns the user of the browser's session, without renewing the session. If the session can't be read, logs the error
 * and returns undefined, so that the sign-in page is shown.
 */
async function findUser(call: AuthCall, runtime: ActionRuntime): Promise<User | undefined> {
  // HEAD must not run the application's callbacks.
  if (call.method === "HEAD") return undefined
  try {
    const { session } = await runtime.sessions.read(call, { mode: "peek" })
    return session?.user
  } catch (error) {
    runtime.logger.error(asError(error))
    return undefined
  }
}

async function showPage(call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const named = call.providerId === undefined ? undefined : requireProvider(call, runtime)
  const { signIn } = runtime.config.pages
  const { error, cancel } = call.query
  const cancelCookies = cancel !== undefined && call.method !== "HEAD" ? await cancelPendingSignIn(call, runtime) : []
  if (signIn) return redirect(pageUrl(signIn, call.origin, { callbackUrl: call.callbackUrl, error }), cancelCookies)
  // After an error, or to connect an account, a user who is signed in needs the form too.
  const user = error === undefined && call.query["connect"] === undefined ? await findUser(call, runtime) : undefined
  // `requireAuth({ provider })` redirects a user who is signed in to this page, to get the tokens of the named provider.
  const onlyProvider = user && named?.method.needs.form === "redirect" ? named.provider.id : undefined
  if (user && onlyProvider === undefined)
    return withCookies(cancelCookies, html(runtime.pages.render("signed-in", signedInProps(call, user, runtime))))
  const { cookies, ...notice } = readReference(call, runtime)
  const { formValues, cookies: formCookies } = readFormValues(call, runtime)
  const props = signInProps({ ...call, ...notice, formValues, onlyProvider }, runtime)
  return withCookies([...cancelCookies, ...cookies, ...formCookies], html(runtime.pages.render("signin", props)))
}

async function startSignIn(call: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  if (call.providerId === undefined) return redirect(`${call.base}/signin`)
  const { method, provider } = requireProvider(call, runtime)
  if (!method.start) return redirect(`${call.base}/signin`)
  return redirectByPage(await method.start(call, provider, runtime), call, runtime)
}

/** Returns the time limit of the provider's method, if it sets one. An unknown provider is rejected later. */
function startTimeoutFor(call: AuthCall, runtime: ActionRuntime): { readonly timeoutMs?: number } {
  const found = runtime.providers.get(call.providerId ?? "")
  const timeoutMs = found?.method.needs.startTimeoutMs?.(found.provider)
  return timeoutMs === undefined ? {} : { timeoutMs }
}

/** GET shows the sign-in page. POST starts a sign-in with a provider. */
export const signin: Action = (call, runtime) => ({
  GET: { guards: { needsCsrf: false, issuesCsrfToken: true, hasCallbackUrl: true }, handle: showPage },
  POST: {
    guards: { needsCsrf: true, issuesCsrfToken: false, hasCallbackUrl: true },
    handle: startSignIn,
    ...startTimeoutFor(call, runtime),
  },
})
