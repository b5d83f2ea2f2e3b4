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
import { parseRequiredAuthentication } from "../sessions/required-authentication.js"
import type { ActionRuntime } from "./action.js"
import { createFormValuesCookie } from "./form-values.js"
import { reauthenticationUrl } from "./reauthentication.js"
import { createReferenceCookie, type FailureNotice } from "./reference.js"
import { traceFailure } from "./trace.js"

/** Errors whose response is sent directly, without a redirect to a page. */
const DIRECT_REPLY_ERRORS = new Set<ErrorType>([
  "BadRequest",
  "UnknownAction",
  "InvalidProvider",
  "InvalidCallbackUrl",
  "TooManyAttempts",
])

/** Actions whose GET responds with an HTML page. */
const PAGE_ACTIONS = new Set<string>([
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

/** A call that failed, with the details for the page that reports the failure. */
type FailedCall = AuthCall & FailureNotice

/** Logs a thrown value and converts it to a reply. In `raw` mode, throws the error unless the client wants JSON. */
export async function replyToError(thrown: unknown, failedCall: AuthCall, runtime: ActionRuntime): Promise<Reply> {
  const error = addProvider(asAuthError(thrown) ?? wrapUnexpected(thrown, failedCall), failedCall)
  const reference = runtime.logger.failure(error)
  const call: FailedCall = {
    ...failedCall,
    reference,
    failureRecord: createDeveloperRecord(error, failedCall, runtime),
  }
  traceFailure(error, call)
  if (runtime.config.isRaw && !call.wantsJson) throw error
  if (call.action === "backchannel-logout") return replyToProvider(error)
  if (DIRECT_REPLY_ERRORS.has(error.type)) return replyDirectly(error, call, runtime)
  if (call.action === "session") return replyToSessionError(error, call)
  if (isServerMisconfigured(error, runtime)) return replyMisconfigured(error, call, runtime)
  // Prevents a redirect loop if the error page itself fails.
  if (call.action === "error") return json({ message: SERVER_ERROR_MESSAGES[500] }, [], 500)
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

/**
 * Returns the log record that the page shows to the developer. Returns undefined outside development, for a request
 * from another machine, and for `USER_ERRORS`.
 */
function createDeveloperRecord(error: AuthError, call: AuthCall, { config }: ActionRuntime): FailureRecord | undefined {
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
 * Replies to the logout request of a provider's server. If the sessions can't be ended, the status is 400, as for an
 * invalid request (Back-Channel Logout 1.0 §2.8), but `error` is "server_error".
 */
function replyToProvider(error: AuthError): Reply {
  const { status, expose, message } = error
  return expose
    ? { ...json({ error: "invalid_request", error_description: message }, [], status), headers: headersFor(error) }
    : json({ error: "server_error", error_description: "the sessions can't be ended at the moment" }, [], 400)
}

/** Renders the error page for a code. If the application's own view fails, the reply contains the message as JSON. */
function renderErrorPage(code: string, call: FailedCall, runtime: ActionRuntime): Reply {
  const developer = call.failureRecord && developerProps(call.failureRecord)
  const { props, status } = errorProps(code, { ...call, developer }, runtime)
  try {
    return html(runtime.pages.render("error", props), status)
  } catch (error) {
    runtime.logger.error(asError(error))
    return json({ message: props.message }, [], status)
  }
}

/**
 * Replies with JSON to a client that reads or updates the session. For a server error the body is a message and not
 * `null`, because clients treat `null` as "signed out". For an invalid GET it is a status text, and for an invalid POST
 * it is `null`.
 */
function replyToSessionError(error: AuthError, call: AuthCall): Reply {
  if (error.status < 500)
    return call.method === "POST" ? json(null, [], 400) : json(STATUS_TEXTS[error.status] ?? null, [], error.status)
  const reply = json({ message: SERVER_ERROR_MESSAGES[error.status === 503 ? 503 : 500] }, [], error.status)
  return error.type === "CallbackRouteError" ? { ...reply, failure: error } : reply
}

const SERVER_ERROR_MESSAGES = {
  500: "There was a problem with the server configuration. Check the server logs for more information.",
  503: "Sessions can't be read at the moment. Try again later.",
}

/** True if the request can't be served, because the configuration is invalid or the host is not trusted. */
const isServerMisconfigured = (error: AuthError, runtime: ActionRuntime): boolean =>
  error.type === "UntrustedHost" || runtime.problems.length > 0

function replyMisconfigured(error: AuthError, call: FailedCall, runtime: ActionRuntime): Reply {
  if (!PAGE_ACTIONS.has(call.action) || call.method === "POST")
    return json({ message: SERVER_ERROR_MESSAGES[500] }, [], 500)
  const page = runtime.config.pages.error
  if (!page || error.type === "UntrustedHost") return renderErrorPage("Configuration", call, runtime)
  if (!call.query["callbackUrl"]?.startsWith(page))
    return redirect(pageUrl(page, call.origin, { error: "Configuration" }))
  runtime.logger.error(
    new ErrorPageLoop(`the error page ${page} requires a sign-in: make it accessible without a session`),
  )
  return renderErrorPage("Configuration", call, runtime)
}

/** If a re-authentication fails with one of these codes, the user may try again on the same page. */
const RETRYABLE_CODES = new Set<string>([
  ...Object.values(ERRORS).flatMap(({ page, clientCode }) => (page === "signIn" ? [clientCode] : [])),
  ERRORS.WebAuthnVerificationError.clientCode,
])

/** Redirects back to the page on which the current user re-authenticates. */
function redirectToReauthentication(error: string, call: FailedCall, runtime: ActionRuntime): Reply {
  const required = parseRequiredAuthentication(toRecord(new URLSearchParams(call.requiredQuery)))
  const url = reauthenticationUrl(call, required, { error, callbackUrl: call.callbackUrl })
  return redirect(url, call.wantsJson ? [] : createReferenceCookie(call, error, runtime))
}

/**
 * Redirects to the page that explains the error: the sign-in page, with the return URL, or the error page. If a
 * re-authentication failed and the user may try again, redirects to the page for re-authentication.
 */
function redirectToPage(error: AuthError, call: FailedCall, runtime: ActionRuntime): Reply {
  const { page, clientCode } = ERRORS[error.type]
  if (call.isReauthentication && RETRYABLE_CODES.has(clientCode))
    return redirectToReauthentication(clientCode, call, runtime)
  const isBuiltIn = runtime.config.pages[page] === undefined
  const url =
    page === "signIn"
      ? (runtime.config.pages.signIn ?? `${call.base}/signin`)
      : (runtime.config.pages.error ?? `${call.base}/error`)
  const code: unknown = error.type === "CredentialsSignin" ? Reflect.get(error, "code") : undefined
  return redirect(
    pageUrl(url, call.origin, {
      error: clientCode,
      code: typeof code === "string" ? code : undefined,
      callbackUrl: page === "signIn" && call.callbackUrl !== call.origin ? call.callbackUrl : undefined,
    }),
    [
      // Only the built-in pages read this cookie, and clients that want JSON show no page.
      ...(isBuiltIn && !call.wantsJson ? createReferenceCookie(call, clientCode, runtime) : []),
      ...(page === "signIn" ? createFormValuesCookie(call, runtime) : []),
    ],
  )
}
