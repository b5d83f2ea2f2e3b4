import {
  AuthError,
  asAuthError,
  asError,
  CallbackRouteError,
  ERRORS,
  ErrorPageLoop,
  type ErrorType,
  isError,
  TooManyAttempts,
  UnknownAction,
} from "../errors.js"
import type { AuthCall } from "../http/call.js"
import type { CookieChange } from "../http/cookies.js"
import { html, json, type Reply, redirect } from "../http/reply.js"
import { errorProps } from "../pages/build-props.js"
import { developerProps } from "../pages/developer.js"
import type { Runtime } from "../runtime.js"
import { pageUrl } from "../security/redirects.js"
import { diagnose } from "./diagnosis.js"
import { sendFormValues } from "./form-values.js"
import { sendReference, type Told } from "./reference.js"
import { tellFailure } from "./tell.js"

/** Answered where they happen: there is nothing to go on with. */
const DIRECT = new Set<ErrorType>([
  "BadRequest",
  "UnknownAction",
  "InvalidProvider",
  "InvalidCallbackUrl",
  "TooManyAttempts",
])

/** Actions that people look at. */
const PAGES = new Set<string>(["signin", "signout", "error", "verify-request", "passkeys"])

/** A call that failed, with what its page is to tell. */
type FailedCall = AuthCall & Told

/** Turns anything thrown into an answer, and logs it: the one place where either is done. */
export async function replyToError(thrown: unknown, answered: AuthCall, runtime: Runtime): Promise<Reply> {
  const error = withProvider(asAuthError(thrown) ?? unexpected(thrown, answered), answered)
  const reference = runtime.logger.failure(error)
  const call: FailedCall = { ...answered, reference, diagnosis: diagnose(error, answered, runtime) }
  tellFailure(error, call)
  if (runtime.config.isRaw && !call.wantsJson) throw error
  if (DIRECT.has(error.type)) return direct(error, call, runtime)
  if (call.action === "session") return sessionFailure(error, call)
  if (isOperators(error, runtime)) return misconfigured(error, call, runtime)
  // A page for errors that fails must not lead to itself.
  if (call.action === "error") return json({ message: CONFIGURATION_MESSAGE[500] }, [], 500)
  return toPage(error, call, runtime)
}

/** Whose attempt it was: what throws far from the provider does not know, and whoever reads the log wants to. */
function withProvider(error: AuthError, { providerId }: AuthCall): AuthError {
  const facts = isError(error.cause) ? { err: error.cause } : error.cause
  // An error that can't be written to stays as it is.
  if (providerId && facts?.["provider"] === undefined) Reflect.set(error, "cause", { ...facts, provider: providerId })
  return error
}

function unexpected(thrown: unknown, call: AuthCall): AuthError {
  const facts = { err: asError(thrown) }
  return call.action === "callback"
    ? new CallbackRouteError("a sign-in could not be finished", facts)
    : new AuthError(`the ${call.action} action failed`, facts)
}

const wantsHtml = (call: AuthCall): boolean =>
  !call.wantsJson && (call.headers.get("accept") ?? "").includes("text/html")

const WORDS: Record<number, string> = {
  400: "Bad request.",
  404: "Not found.",
  405: "Method not allowed.",
  408: "Request timeout.",
  413: "Content too large.",
  415: "Unsupported media type.",
  429: "Too many attempts.",
}

function headersFor(error: AuthError): Record<string, string> {
  if (error instanceof TooManyAttempts) return { "Retry-After": String(error.retryAfterSeconds) }
  // RFC 9110 §15.5.6
  return error instanceof UnknownAction && error.allow ? { Allow: error.allow.join(", ") } : {}
}

async function direct(error: AuthError, call: FailedCall, runtime: Runtime): Promise<Reply> {
  const { status } = error
  const headers = headersFor(error)
  if (!wantsHtml(call)) {
    const url = pageUrl(`${call.base}/error`, call.origin, { error: ERRORS[error.type].shown })
    return { ...json(call.wantsJson ? { url } : (WORDS[status] ?? "Bad request."), [], status), headers }
  }
  const page = await errorPage(ERRORS[error.type].shown, call, runtime)
  return { ...page, status, headers: { ...page.headers, ...headers } }
}

/** The page for a code; when the application's own view of it fails, words alone. */
async function errorPage(code: string, call: FailedCall, runtime: Runtime): Promise<Reply> {
  const developer = call.diagnosis && (await developerProps(call.diagnosis))
  const { props, status } = errorProps(code, { ...call, developer }, runtime)
  try {
    return html(runtime.pages.render("error", props), status)
  } catch (error) {
    runtime.logger.error(asError(error))
    return json({ message: props.message }, [], status)
  }
}

/** A client that asks for the session gets no page; an operator's failure is no "signed out". */
function sessionFailure(error: AuthError, call: AuthCall): Reply {
  if (error.status < 500)
    return call.method === "POST" ? json(null, [], 400) : json(WORDS[error.status] ?? null, [], error.status)
  const reply = json({ message: CONFIGURATION_MESSAGE[error.status === 503 ? 503 : 500] }, [], error.status)
  return error.type === "CallbackRouteError" ? { ...reply, failure: error } : reply
}

const CONFIGURATION_MESSAGE = {
  500: "There was a problem with the server configuration. Check the server logs for more information.",
  503: "Sessions can't be read at the moment. Try again later.",
}

/** Nothing can be served: the configuration is wrong, or the host is not ours. */
const isOperators = (error: AuthError, runtime: Runtime): boolean =>
  error.type === "UntrustedHost" || runtime.problems.length > 0

async function misconfigured(error: AuthError, call: FailedCall, runtime: Runtime): Promise<Reply> {
  if (!PAGES.has(call.action) || call.method === "POST") return json({ message: CONFIGURATION_MESSAGE[500] }, [], 500)
  const page = runtime.config.pages.error
  if (!page || error.type === "UntrustedHost") return errorPage("Configuration", call, runtime)
  if (!call.query["callbackUrl"]?.startsWith(page))
    return redirect(pageUrl(page, call.origin, { error: "Configuration" }))
  runtime.logger.error(
    new ErrorPageLoop(`the page for errors, ${page}, is itself behind the sign-in: let it be seen by everybody`),
  )
  return errorPage("Configuration", call, runtime)
}

/** A program is told by what it gets, and a page of the application's own knows nothing of references. */
const referenceCookies = (shown: string, call: FailedCall, runtime: Runtime): CookieChange[] =>
  call.wantsJson ? [] : sendReference(call, shown, runtime)

/** Sends the person to the page that says what happened; where they wanted to go is kept. */
function toPage(error: AuthError, call: FailedCall, runtime: Runtime): Reply {
  const { page, shown } = ERRORS[error.type]
  const isOurs = runtime.config.pages[page] === undefined
  const address =
    page === "signIn"
      ? (runtime.config.pages.signIn ?? `${call.base}/signin`)
      : (runtime.config.pages.error ?? `${call.base}/error`)
  const code: unknown = error.type === "CredentialsSignin" ? Reflect.get(error, "code") : undefined
  return redirect(
    pageUrl(address, call.origin, {
      error: shown,
      code: typeof code === "string" ? code : undefined,
      callbackUrl: page === "signIn" && call.callbackUrl !== call.origin ? call.callbackUrl : undefined,
    }),
    [
      ...(isOurs ? referenceCookies(shown, call, runtime) : []),
      ...(page === "signIn" ? sendFormValues(call, runtime) : []),
    ],
  )
}
