/**
 * Every error that latchkey throws or logs, and how each is handled.
 *
 * Errors are recognised across the ESM and the CommonJS build: `instanceof` checks a global brand, and `type` is a
 * stable string to switch on.
 *
 * @module
 */

export type { CookieChange, CookieKey } from "../base/types.js"

import type { CookieChange } from "../base/types.js"
import { causeRecord, isError, printable } from "../logging/redact.js"
import type { MessageCode } from "./message-code.js"

export { isError } from "../logging/redact.js"
export type { MessageCode }

const BRAND = Symbol.for("latchkey.error")

/** The properties that a single error can set differently from the rule of its type. */
export interface ErrorDetails {
  /** The code of the problem. */
  readonly messageCode?: MessageCode
  /** The status of the response when there is no redirect. */
  readonly status?: number
  /** "warn" for errors that clients cause, "error" for those that the operator has to fix. */
  readonly level?: "warn" | "error"
}

/** How errors of a type are handled. */
export interface ErrorRule extends Required<ErrorDetails> {
  /** The page that shows the error. */
  readonly page: "signIn" | "error"
  /** The value of the query parameter `error` of this page. It reveals no details to the client. */
  readonly clientCode: string
}

const defineRule =
  (page: ErrorRule["page"], status: number, level: ErrorRule["level"]) =>
  (messageCode: MessageCode, clientCode = "Configuration"): ErrorRule => ({
    messageCode,
    page,
    status,
    clientCode,
    level,
  })

/** Failures that the operator has to fix. */
const operatorFailure = defineRule("error", 500, "error")
/** Failures of the adapter or the store. */
const storageFailure = defineRule("error", 503, "error")
/** Failures of a provider or an email service. The sign-in page shows them. */
const serviceFailure = defineRule("signIn", 502, "error")
/** Failures that clients cause. */
const clientFailure = (
  messageCode: MessageCode,
  page: ErrorRule["page"],
  status: number,
  clientCode: string,
): ErrorRule => defineRule(page, status, "warn")(messageCode, clientCode)

/** The handling of each error type. */
export const ERRORS = {
  AccessDenied: clientFailure("access-denied", "error", 403, "AccessDenied"),
  AccountNotLinked: clientFailure("account-not-linked", "signIn", 403, "AccountNotLinked"),
  AdapterError: storageFailure("adapter-failed"),
  AuthError: operatorFailure("unexpected-error"),
  BadRequest: clientFailure("bad-request", "error", 400, "BadRequest"),
  CallbackRouteError: operatorFailure("callback-failed"),
  ConfigurationError: operatorFailure("configuration-invalid"),
  CredentialsSignin: clientFailure("credentials-refused", "signIn", 401, "CredentialsSignin"),
  DuplicateConditionalUI: operatorFailure("passkey-autofill-twice"),
  EmailSendError: serviceFailure("mail-not-sent", "EmailSignin"),
  EmailSignInError: clientFailure("email-address-invalid", "signIn", 400, "EmailSignInError"),
  ErrorPageLoop: operatorFailure("page-guarded"),
  EventError: operatorFailure("event-failed"),
  ExperimentalFeatureNotEnabled: operatorFailure("configuration-invalid"),
  InvalidCallbackUrl: clientFailure("callback-url-invalid", "error", 400, "BadRequest"),
  InvalidCheck: clientFailure("flow-cookie-missing", "signIn", 400, "OAuthCallbackError"),
  InvalidEndpoints: operatorFailure("endpoints-missing"),
  InvalidProvider: clientFailure("provider-unknown", "error", 404, "BadRequest"),
  JWTSessionError: operatorFailure("session-unreadable"),
  MissingAdapter: operatorFailure("adapter-missing"),
  MissingAdapterMethods: operatorFailure("adapter-methods-missing"),
  MissingAuthorize: operatorFailure("authorize-missing"),
  MissingCSRF: clientFailure("csrf-token-missing", "signIn", 403, "MissingCSRF"),
  MissingSecret: operatorFailure("secret-missing"),
  MissingWebAuthnAutocomplete: operatorFailure("passkey-autofill-missing"),
  OAuthAccountNotLinked: clientFailure("account-not-linked", "signIn", 403, "OAuthAccountNotLinked"),
  OAuthCallbackError: serviceFailure("provider-answer-invalid", "OAuthCallbackError"),
  OAuthProfileParseError: serviceFailure("profile-unusable", "OAuthCallbackError"),
  OAuthSignInError: serviceFailure("sign-in-not-started", "OAuthCallbackError"),
  ProviderUnavailable: serviceFailure("provider-unreachable", "OAuthCallbackError"),
  ReauthenticationRequired: clientFailure("reauthentication-required", "signIn", 401, "SessionRequired"),
  SessionTokenError: storageFailure("adapter-failed"),
  SignOutError: storageFailure("sign-out-failed", "SignOutError"),
  TooManyAttempts: clientFailure("too-many-attempts", "error", 429, "TooManyAttempts"),
  UnknownAction: clientFailure("action-unknown", "error", 404, "BadRequest"),
  UnsupportedStrategy: operatorFailure("strategy-unsupported"),
  UntrustedHost: operatorFailure("untrusted-host"),
  Verification: clientFailure("link-invalid", "error", 403, "Verification"),
  WebAuthnVerificationError: clientFailure("passkey-refused", "error", 403, "WebAuthnVerificationError"),
} as const satisfies Record<string, ErrorRule>

/** The names of the error types. */
export type ErrorType = keyof typeof ERRORS

/** The details of an error for the operator, and the underlying error as `err`. Contains no secrets. */
export type ErrorCause = Record<string, unknown> & { err?: Error }

/** The details of an error of an operation that timed out. The client can try again. */
export const TIMED_OUT: ErrorDetails = { messageCode: "request-timed-out", status: 503 }

/**
 * Returns the facts in an argument of the constructor of `AuthError`. An argument can also have the form `{ cause }`
 * that `Error` accepts. Then the facts are in `cause`.
 */
function readCause(value: unknown): ErrorCause {
  if (isError(value)) return { err: value }
  if (typeof value !== "object" || value === null) return {}
  const { cause, ...facts }: ErrorCause = { ...value }
  if (cause === undefined) return facts
  return typeof cause === "object" && cause !== null ? { ...facts, ...readCause(cause) } : { ...facts, cause }
}

/**
 * Prepares `facts` as the cause of an error: adds the method `toJSON`, and returns the same object. The result of
 * `toJSON` includes the stacks of the underlying errors, with secrets masked.
 */
export function toCause(facts: ErrorCause): ErrorCause {
  const toJSON = () => causeRecord(facts, true)
  return Object.defineProperty(facts, "toJSON", { value: toJSON, enumerable: false })
}

/**
 * The base class of all errors of this package. Accepts a message, an underlying error and facts, in any combination.
 *
 * @example
 * try { await req.getSession() } catch (error) {
 *   if (error instanceof AuthError && error.type === "AdapterError") …
 * }
 */
export class AuthError extends Error {
  /** The type of the instances of this class. Each subclass sets its own type. */
  static type: ErrorType = "AuthError"
  /** The stable name of the error's type. */
  type: ErrorType
  /** The page that shows the error. */
  kind: "signIn" | "error"
  override cause?: ErrorCause
  /** The HTTP status, for Express' error handlers. */
  status: number
  /** Whether the message may be shown to clients. */
  expose: boolean
  /** The log level. */
  level: "warn" | "error"
  /** The stable code of the problem. `npx latchkey explain` explains it. */
  messageCode: MessageCode

  constructor(message?: string | Error | ErrorCause, facts?: Error | ErrorCause, details?: ErrorDetails) {
    const text = typeof message === "string" ? message : isError(message) ? message.message : ""
    super(text)
    // A subclass without its own static `type` inherits that of its parent.
    const { type } = new.target
    const rule: ErrorRule = { ...ERRORS[type], ...details }
    this.name = new.target.name
    this.type = type
    this.kind = rule.page
    this.status = rule.status
    this.expose = rule.status < 500
    this.level = rule.level
    this.messageCode = rule.messageCode
    const cause = { ...(typeof message === "string" ? {} : readCause(message)), ...readCause(facts) }
    if (Object.keys(cause).length > 0) this.cause = toCause(cause)
    Object.defineProperty(this, BRAND, { value: typeLineage(new.target), enumerable: false })
    Error.captureStackTrace?.(this, new.target)
  }

  /**
   * Returns the error as data for a log, with secrets masked: name, type, code, status, message and causes, without
   * stacks. Properties that other code added to the underlying errors are left out.
   */
  toJSON(): Record<string, unknown> {
    const { name, type, messageCode, status, message, cause } = this
    const facts = cause === undefined ? {} : { cause: causeRecord(cause, false) }
    return { name, type, messageCode, status, message: printable(message), ...facts }
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A class without its own `type`, such as `SignInError` or a subclass of an application, has no own brand. Check
    // the prototype chain instead.
    if (!Object.hasOwn(this, "type")) return Function.prototype[Symbol.hasInstance].call(this, value)
    if (typeof value !== "object" || value === null) return false
    const types: unknown = Reflect.get(value, BRAND)
    return Array.isArray(types) && types.includes(this.type)
  }
}

/** Returns the types of a class and of the classes that it extends. */
function typeLineage(target: unknown): string[] {
  const types = new Set<string>()
  for (let ctor = target; typeof ctor === "function" && "type" in ctor; ctor = Object.getPrototypeOf(ctor))
    types.add(String(ctor.type))
  return [...types]
}

/** The base class of most errors that the sign-in page shows, as in Auth.js. */
export class SignInError extends AuthError {
  override kind: "signIn" | "error" = "signIn"
}

/** The user may not sign in, for example because the `signIn` callback, `isActive` or `isAllowed` did not allow it. */
export class AccessDenied extends AuthError {
  static override type: ErrorType = "AccessDenied"
}
/**
 * The passkey or its email address belongs to another user, or a re-authentication used an account of another user.
 */
export class AccountNotLinked extends SignInError {
  static override type: ErrorType = "AccountNotLinked"
}
/** The adapter or the store failed, or did not respond in time. */
export class AdapterError extends AuthError {
  static override type: ErrorType = "AdapterError"
}
/** The request is invalid. */
export class BadRequest extends AuthError {
  static override type: ErrorType = "BadRequest"
}
/**
 * A callback of the application, such as `jwt` or `authorize`, threw an error, returned an invalid value or did not
 * settle in time.
 */
export class CallbackRouteError extends AuthError {
  static override type: ErrorType = "CallbackRouteError"
}
/**
 * The credentials are wrong. Throw this error, or a subclass with its own `code`, from `authorize`.
 *
 * @example
 * class Locked extends CredentialsSignin { code = "locked" } // lands on …/signin?error=CredentialsSignin&code=locked
 */
export class CredentialsSignin extends SignInError {
  static override type: ErrorType = "CredentialsSignin"
  /** The query parameter `code` of the sign-in page: at most 32 letters, digits, "_" and "-". */
  code = "credentials"
}
/** Two passkey providers use autofill. */
export class DuplicateConditionalUI extends AuthError {
  static override type: ErrorType = "DuplicateConditionalUI"
}
/** The email with the link could not be sent. */
export class EmailSendError extends SignInError {
  static override type: ErrorType = "EmailSendError"
}
/** The email address is invalid, or the option `normalizeIdentifier` rejected it. */
export class EmailSignInError extends SignInError {
  static override type: ErrorType = "EmailSignInError"
}
/** The error page itself requires a sign-in. */
export class ErrorPageLoop extends AuthError {
  static override type: ErrorType = "ErrorPageLoop"
}
/** An event handler failed. Only a failure of `confirmEmailOwner` makes the sign-in fail. */
export class EventError extends AuthError {
  static override type: ErrorType = "EventError"
}
/** A feature must be enabled first. Only packages of Auth.js throw this error. */
export class ExperimentalFeatureNotEnabled extends AuthError {
  static override type: ErrorType = "ExperimentalFeatureNotEnabled"
}
/** The return URL (`callbackUrl`) is invalid. */
export class InvalidCallbackUrl extends AuthError {
  static override type: ErrorType = "InvalidCallbackUrl"
}
/**
 * A provider's response belongs to no sign-in or logout in progress in this browser, or the redirect proxy does not
 * forward it.
 */
export class InvalidCheck extends AuthError {
  static override type: ErrorType = "InvalidCheck"
}
/** An endpoint of a provider is not configured, and can't be discovered: no issuer is set, or the metadata lacks it. */
export class InvalidEndpoints extends AuthError {
  static override type: ErrorType = "InvalidEndpoints"
}
/** The provider is unknown, or does not support the action. */
export class InvalidProvider extends AuthError {
  static override type: ErrorType = "InvalidProvider"
}
/** A session could not be decrypted from its cookies, or could not be encrypted for them. */
export class JWTSessionError extends AuthError {
  static override type: ErrorType = "JWTSessionError"
}
/** An option requires an adapter, but none is configured. */
export class MissingAdapter extends AuthError {
  static override type: ErrorType = "MissingAdapter"
}
/** The adapter lacks required methods. */
export class MissingAdapterMethods extends AuthError {
  static override type: ErrorType = "MissingAdapterMethods"
}
/** A credentials provider has no `authorize`. */
export class MissingAuthorize extends AuthError {
  static override type: ErrorType = "MissingAuthorize"
}
/** A POST request has no CSRF token or an invalid one, or comes from another site. */
export class MissingCSRF extends SignInError {
  static override type: ErrorType = "MissingCSRF"
}
/** The secret is missing. */
export class MissingSecret extends AuthError {
  static override type: ErrorType = "MissingSecret"
}
/** No field of a passkey form has the `autocomplete` value for passkeys. */
export class MissingWebAuthnAutocomplete extends AuthError {
  static override type: ErrorType = "MissingWebAuthnAutocomplete"
}
/** The account or its email address belongs to another user, or the user granted access with a different account. */
export class OAuthAccountNotLinked extends SignInError {
  static override type: ErrorType = "OAuthAccountNotLinked"
}
/** The provider refused the sign-in, failed, or returned an invalid response. */
export class OAuthCallbackError extends SignInError {
  static override type: ErrorType = "OAuthCallbackError"
}
/** `profile()` of a provider failed, or returned no valid id. */
export class OAuthProfileParseError extends AuthError {
  static override type: ErrorType = "OAuthProfileParseError"
}
/** A sign-in could not be started: the provider can't be reached, or its metadata is invalid. */
export class OAuthSignInError extends SignInError {
  static override type: ErrorType = "OAuthSignInError"
}
/** A token could not be renewed, because the provider can't be reached or failed. A later attempt may succeed. */
export class ProviderUnavailable extends AuthError {
  static override type: ErrorType = "ProviderUnavailable"
}
/** There is no valid token of a provider for this user. The user has to sign in at the provider again. */
export class ReauthenticationRequired extends SignInError {
  static override type: ErrorType = "ReauthenticationRequired"
  /** The URL of the page on which the user signs in at the provider again; undefined outside a request. */
  url: string | undefined
}
/** A database session could not be read. Only packages of Auth.js throw this error. */
export class SessionTokenError extends AuthError {
  static override type: ErrorType = "SessionTokenError"
}
/** The session could not be ended, or the logout at the provider failed. */
export class SignOutError extends AuthError {
  static override type: ErrorType = "SignOutError"
  /** Cookies to clear in spite of the failure, because the user asked to sign out. */
  cookies: readonly CookieChange[] = []
}
/** A rate limit is reached, for example too many sign-in attempts for one account or from one IP address. */
export class TooManyAttempts extends AuthError {
  static override type: ErrorType = "TooManyAttempts"
  /** Seconds until the next attempt is allowed. */
  retryAfterSeconds = 60
}
/** The action is unknown, or does not accept this HTTP method. */
export class UnknownAction extends AuthError {
  static override type: ErrorType = "UnknownAction"
  /** The accepted HTTP methods, for the `Allow` header of a 405 response. */
  allow?: readonly string[]
}
/** `session.strategy` is "database" without an adapter, or a function needs a store that records the sessions. */
export class UnsupportedStrategy extends AuthError {
  static override type: ErrorType = "UnsupportedStrategy"
}
/** The request's host is not trusted. */
export class UntrustedHost extends AuthError {
  static override type: ErrorType = "UntrustedHost"
}
/** Creates the error for a request whose host is not trusted. */
export const untrustedHost = (origin: string): UntrustedHost =>
  new UntrustedHost(
    `the host of the request is not trusted: ${origin}. Set AUTH_URL to the site's address, or list its hosts: trustHost: ["example.com"]`,
  )

/** An email link or a code is unknown, wrong, already used or expired. */
export class Verification extends AuthError {
  static override type: ErrorType = "Verification"
}
/** An authenticator's response did not verify. */
export class WebAuthnVerificationError extends AuthError {
  static override type: ErrorType = "WebAuthnVerificationError"
}

/** One problem of a configuration. */
export interface ConfigProblem {
  /** The type of error. */
  readonly type: ErrorType
  /** The stable code of the problem. `npx latchkey explain` explains it. */
  readonly code: MessageCode
  /** The option: `providers[0].clientId`. */
  readonly path: string
  /** What is wrong: the rest of a sentence that begins with the option, such as "is missing". */
  readonly seen: string
  /** The line to write, or the change to make. */
  readonly fix: string
  /**
   * True if requests can be served in spite of the problem. `authMiddleware` still fails to start. `Auth` only logs a
   * warning, as Auth.js does.
   */
  readonly isRecoverable?: true
}

/** Returns the error type with this default code; undefined if there is none. */
const errorTypeFor = (code: MessageCode): ErrorType | undefined =>
  // The keys of `ERRORS` are the error types.
  (Object.keys(ERRORS) as ErrorType[]).find((type) => ERRORS[type].messageCode === code)

/** Creates a problem. Its type is the error type with this default code, otherwise `ConfigurationError`. */
export const configProblem = (code: MessageCode, path: string, seen: string, fix: string): ConfigProblem => ({
  type: errorTypeFor(code) ?? "ConfigurationError",
  code,
  path,
  seen,
  fix,
})

/** Creates the problem of an option with an invalid value. */
export const invalidOption = (path: string, seen: string, fix: string): ConfigProblem =>
  configProblem("option-invalid", path, seen, fix)

/** Lists problems. A problem whose condition is not met is left out: `listProblems(isOdd && problem)`. */
export const listProblems = <P extends ConfigProblem>(...found: readonly (P | false | "" | null | undefined)[]): P[] =>
  found.filter((problem) => typeof problem === "object" && problem !== null)

/** Describes the problem on one line, for the log. */
export const describeProblem = ({ path, seen, fix }: ConfigProblem): string => `${path} ${seen}. ${fix}`

/** The configuration is invalid. At start-up, the error contains all problems. */
export class ConfigurationError extends AuthError {
  static override type: ErrorType = "ConfigurationError"
  /** The problems, in the order of the message. */
  declare readonly problems: readonly ConfigProblem[]
  constructor(problems: readonly ConfigProblem[], message = joinMessages(problems), facts?: ErrorCause) {
    super(message, facts)
    // Node.js prints enumerable properties of an uncaught error after its message, which already lists the problems.
    Object.defineProperty(this, "problems", { value: problems, enumerable: false })
    const [only, ...others] = uniqueCodes(problems)
    if (only !== undefined && others.length === 0) this.messageCode = only
  }
}

const uniqueCodes = (problems: readonly ConfigProblem[]): MessageCode[] => [
  ...new Set(problems.map(({ code }) => code)),
]

function joinMessages(problems: readonly ConfigProblem[]): string {
  const lines = problems.map(({ code, path, seen, fix }, index) => `  ${index + 1}. ${path}: ${seen}. ${fix} [${code}]`)
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`
  const help = `For an explanation run: npx latchkey explain ${uniqueCodes(problems).join(" ")}`
  return `latchkey can't start, because its configuration has ${count}:\n${lines.join("\n")}\n${help}`
}

const CLASSES: Readonly<Record<Exclude<ErrorType, "ConfigurationError">, typeof AuthError>> = {
  AccessDenied,
  AccountNotLinked,
  AdapterError,
  AuthError,
  BadRequest,
  CallbackRouteError,
  CredentialsSignin,
  DuplicateConditionalUI,
  EmailSendError,
  EmailSignInError,
  ErrorPageLoop,
  EventError,
  ExperimentalFeatureNotEnabled,
  InvalidCallbackUrl,
  InvalidCheck,
  InvalidEndpoints,
  InvalidProvider,
  JWTSessionError,
  MissingAdapter,
  MissingAdapterMethods,
  MissingAuthorize,
  MissingCSRF,
  MissingSecret,
  MissingWebAuthnAutocomplete,
  OAuthAccountNotLinked,
  OAuthCallbackError,
  OAuthProfileParseError,
  OAuthSignInError,
  ProviderUnavailable,
  ReauthenticationRequired,
  SessionTokenError,
  SignOutError,
  TooManyAttempts,
  UnknownAction,
  UnsupportedStrategy,
  UntrustedHost,
  Verification,
  WebAuthnVerificationError,
}

/** Creates an instance of the class of an error type. */
export function errorOfType(type: keyof typeof CLASSES, ...args: ConstructorParameters<typeof AuthError>): AuthError {
  return new CLASSES[type](...args)
}

/**
 * Returns an `AuthError` unchanged, and converts an error of an Auth.js package, which is recognised by its `type`.
 * Returns undefined for other values.
 */
export function asAuthError(value: unknown): AuthError | undefined {
  if (value instanceof AuthError) return value
  if (!isError(value)) return undefined
  const type: unknown = Reflect.get(value, "type")
  if (typeof type !== "string" || !Object.hasOwn(CLASSES, type)) return undefined
  // The previous line checks that the type is a key of the table.
  const error = errorOfType(type as keyof typeof CLASSES, value)
  const code: unknown = Reflect.get(value, "code")
  if (typeof code === "string") Reflect.set(error, "code", code)
  return error
}

/** Returns a thrown value as an `Error`. Converts a value that is not an `Error`. */
export function asError(value: unknown): Error {
  try {
    return toError(value)
  } catch {
    // A Proxy may throw when it is inspected.
    return new Error("a value was thrown that can't be inspected")
  }
}

function toError(value: unknown): Error {
  if (isError(value)) return value
  // `isError` does not recognise an object that only inherits from the `Error` of another realm, such as an error of
  // better-sqlite3 under Jest.
  const message: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "message") : undefined
  if (typeof message === "string") return new Error(message, { cause: value })
  return new Error(`a ${typeof value} was thrown, not an Error`)
}
