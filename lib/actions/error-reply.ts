import { isLoopbackRequest } from "../base/loopback.js"
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
} from "../errors/errors.js"
import type { MessageCode } from "../errors/message-code.js"
import { toRecord } from "../http/body.js"
import type { AuthCall } from "../http/call.js"
import { html, json, type Reply, redirect } from "../http/reply.js"
import { createFailureRecord, type FailureRecord } from "../logging/logger.js"
import { errorProps } from "../pages/build-props.js"
import { developerProps } from "../pages/developer.js"
import { pageUrl } from "../security/redirects.js"
import { parseQuery } from "../sessions/required-authentication.js"
import type { ActionRuntime } from "./action.js"
import { sendFormValues } from "./form-values.js"
import { reauthenticationUrl } from "./reauthentication.js"
import { type FailureNotice, sendReference } from "./reference.js"
import { traceFailure } from "./trace.js"

/** Errors whose response is sent directly, without a redirect to a page. */
const DIRECT = new Set<ErrorType>([
  "BadRequest",
  "UnknownAction",
  "InvalidProvider",
  "InvalidCallbackUrl",
  "TooManyAttempts",
])

/** Actions whose GET responds with an HTML page. */
const PAGES = new Set<string>([
  "signin",
  "signout",
  "error",
  "verify-request",
  "accounts-removed",
  "passkeys",
  "reauthenticate",
  "second-factor",
  "sessions",
])

/** A call that failed, with the details that its page shows. */
type FailedCall = AuthCall & FailureNotice

/** Logs a thrown value and converts it to a reply. Throws the error instead in `raw` mode. */
export async function replyToError(thrown: unknown, failedCall: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const error = addProvider(asAuthError(thrown) ?? wrapUnexpected(thrown, failedCall), failedCall)
  const reference = runtime.logger.failure(error)
  const call: FailedCall = { ...failedCall, reference, diagnosis: diagnose(error, failedCall, runtime) }
  traceFailure(error, call)
  if (runtime.config.isRaw && !call.wantsJson) throw error
  if (call.action === "backchannel-logout") return replyToProvider(error)
  if (DIRECT.has(error.type)) return replyDirectly(error, call, runtime)
  if (call.action === "session") return replyToSessionError(error, call)
  if (isServerMisconfigured(error, runtime)) return replyMisconfigured(error, call, runtime)
  // Prevents a redirect loop if the error page itself fails.
  if (call.action === "error") return json({ message: CONFIGURATION_MESSAGE[500] }, [], 500)
  return redirectToPage(error, call, runtime)
}

/** Adds the provider's id to the error, because the code that throws often has no access to the provider. */
function addProvider(error: AuthError, { providerId }: AuthCall): AuthError {
  const facts = isError(error.cause) ? { err: error.cause } : error.cause
  // `Reflect.set` does not throw if the error is frozen.
  if (providerId && facts?.["provider"] === undefined) Reflect.set(error, "cause", { ...facts, provider: providerId })
  return error
}

function wrapUnexpected(thrown: unknown, call: AuthCall): AuthError {
  const facts = { err: asError(thrown) }
  return call.action === "callback"
    ? new CallbackRouteError("a sign-in could not be finished", facts)
    : new AuthError(`the ${call.action} action failed`, facts)
}

/** Failures that users cause themselves. The page explains them, so it does not also show the log record. */
const USER_ERRORS: ReadonlySet<MessageCode> = new Set([
  "credentials-refused",
  "email-address-invalid",
  "sign-in-cancelled",
])

/** Returns the log record for the error page; only in development, and only for requests from the same machine. */
function diagnose(error: AuthError, call: AuthCall, { config }: ActionRuntime): FailureRecord | undefined {
  if (!config.isDevelopment || USER_ERRORS.has(error.messageCode) || !isLoopbackRequest(call)) return undefined
  return createFailureRecord(error)
}

const wantsHtml = (call: AuthCall): boolean =>
  !call.wantsJson && (call.headers.get("accept") ?? "").includes("text/html")

const STATUS_TEXTS: Record<number, string> = {
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

function replyDirectly(error: AuthError, call: FailedCall, runtime: ActionRuntime): Reply {
  const { status } = error
  const headers = headersFor(error)
  if (!wantsHtml(call)) {
    const url = pageUrl(`${call.base}/error`, call.origin, { error: ERRORS[error.type].clientCode })
    return { ...json(call.wantsJson ? { url } : (STATUS_TEXTS[status] ?? "Bad request."), [], status), headers }
  }
  const page = renderErrorPage(ERRORS[error.type].clientCode, call, runtime)
  return { ...page, status, headers: { ...page.headers, ...headers } }
}

/**
 * Replies to the server of a provider. A failure of this server also has the status 400 (Back-Channel Logout 1.0 §2.8);
 * the member `error` distinguishes it from an invalid request.
 */
function replyToProvider(error: AuthError): Reply {
  const { status, expose, message } = error
  return expose
    ? { ...json({ error: "invalid_request", error_description: message }, [], status), headers: headersFor(error) }
    : json({ error: "server_error", error_description: "the sessions can't be ended at the moment" }, [], 400)
}

/** Renders the error page for a code. If the application's own view fails, the reply contains the message as JSON. */
function renderErrorPage(code: string, call: FailedCall, runtime: ActionRuntime): Reply {
  const developer = call.diagnosis && developerProps(call.diagnosis)
  const { props, status } = errorProps(code, { ...call, developer }, runtime)
  try {
    return html(runtime.pages.render("error", props), status)
  } catch (error) {
    runtime.logger.error(asError(error))
    return json({ message: props.message }, [], status)
  }
}

/**
 * Replies with JSON to clients that read the session. A server error has a message instead of `null`, because `null`
 * means "signed out".
 */
function replyToSessionError(error: AuthError, call: AuthCall): Reply {
  if (error.status < 500)
    return call.method === "POST" ? json(null, [], 400) : json(STATUS_TEXTS[error.status] ?? null, [], error.status)
  const reply = json({ message: CONFIGURATION_MESSAGE[error.status === 503 ? 503 : 500] }, [], error.status)
  return error.type === "CallbackRouteError" ? { ...reply, failure: error } : reply
}

const CONFIGURATION_MESSAGE = {
  500: "There was a problem with the server configuration. Check the server logs for more information.",
  503: "Sessions can't be read at the moment. Try again later.",
}

/** True if no request can be served, because the configuration is invalid or the host is not trusted. */
const isServerMisconfigured = (error: AuthError, runtime: ActionRuntime): boolean =>
  error.type === "UntrustedHost" || runtime.problems.length > 0

function replyMisconfigured(error: AuthError, call: FailedCall, runtime: ActionRuntime): Reply {
  if (!PAGES.has(call.action) || call.method === "POST") return json({ message: CONFIGURATION_MESSAGE[500] }, [], 500)
  const page = runtime.config.pages.error
  if (!page || error.type === "UntrustedHost") return renderErrorPage("Configuration", call, runtime)
  if (!call.query["callbackUrl"]?.startsWith(page))
    return redirect(pageUrl(page, call.origin, { error: "Configuration" }))
  runtime.logger.error(
    new ErrorPageLoop(`the error page ${page} requires a sign-in: make it accessible without a session`),
  )
  return renderErrorPage("Configuration", call, runtime)
}

/** The error codes of a re-authentication after which the user may try again. */
const RETRYABLE = new Set<string>([
  ...Object.values(ERRORS).flatMap(({ page, clientCode }) => (page === "signIn" ? [clientCode] : [])),
  ERRORS.WebAuthnVerificationError.clientCode,
])

/** Redirects back to the page on which the current user re-authenticates. */
function redirectToConfirmation(error: string, call: FailedCall, runtime: ActionRuntime): Reply {
  const required = parseQuery(toRecord(new URLSearchParams(call.requiredQuery)))
  const address = reauthenticationUrl(call, required, { error, callbackUrl: call.callbackUrl })
  return redirect(address, call.wantsJson ? [] : sendReference(call, error, runtime))
}

/** Redirects to the page that explains the error, and keeps the return URL. */
function redirectToPage(error: AuthError, call: FailedCall, runtime: ActionRuntime): Reply {
  const { page, clientCode } = ERRORS[error.type]
  if (call.isReauthentication && RETRYABLE.has(clientCode)) return redirectToConfirmation(clientCode, call, runtime)
  const isBuiltIn = runtime.config.pages[page] === undefined
  const address =
    page === "signIn"
      ? (runtime.config.pages.signIn ?? `${call.base}/signin`)
      : (runtime.config.pages.error ?? `${call.base}/error`)
  const code: unknown = error.type === "CredentialsSignin" ? Reflect.get(error, "code") : undefined
  return redirect(
    pageUrl(address, call.origin, {
      error: clientCode,
      code: typeof code === "string" ? code : undefined,
      callbackUrl: page === "signIn" && call.callbackUrl !== call.origin ? call.callbackUrl : undefined,
    }),
    [
      // Only the built-in pages read this cookie, and clients that want JSON show no page.
      ...(isBuiltIn && !call.wantsJson ? sendReference(call, clientCode, runtime) : []),
      ...(page === "signIn" ? sendFormValues(call, runtime) : []),
    ],
  )
}
