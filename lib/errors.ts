/**
 * Every error that latchkey throws or logs, and what becomes of each.
 *
 * An error is recognised across the ESM and the CommonJS build: `instanceof` looks at a global brand, and `type` is
 * stable text to switch on.
 *
 * @module
 */

import type { MessageCode } from "./codes/index.js"
import { MESSAGE_CODES, typeOfCode } from "./error-codes.js"
import type { CookieChange } from "./http/cookies.js"
import { causeRecord, isError, printable } from "./redact.js"

export type { CookieChange, CookieKey } from "./http/cookies.js"
export { isError } from "./redact.js"
export type { MessageCode }

const BRAND = Symbol.for("latchkey.error")

/** Where a person lands, under which code, and how loudly the operator hears of it. */
export interface ErrorRule {
  /** The page that shows it. */
  readonly page: "signIn" | "error"
  /** Status of the answer where no redirect is made. */
  readonly status: number
  /** The value of `error` in the address: what the client may know. */
  readonly shown: string
  /** "warn" for what clients cause, "error" for what the operator has to mend. */
  readonly level: "warn" | "error"
}

const operator: ErrorRule = { page: "error", status: 500, shown: "Configuration", level: "error" }
const store: ErrorRule = { ...operator, status: 503 }
const client = (page: ErrorRule["page"], status: number, shown: string): ErrorRule => ({
  page,
  status,
  shown,
  level: "warn",
})

/** The one table of error types. */
export const ERRORS = {
  AccessDenied: client("error", 403, "AccessDenied"),
  AccountNotLinked: client("signIn", 403, "AccountNotLinked"),
  AdapterError: store,
  AuthError: operator,
  BadRequest: client("error", 400, "BadRequest"),
  CallbackRouteError: operator,
  ConfigurationError: operator,
  CredentialsSignin: client("signIn", 401, "CredentialsSignin"),
  DuplicateConditionalUI: operator,
  EmailSendError: { page: "signIn", status: 502, shown: "EmailSignin", level: "error" },
  EmailSignInError: client("signIn", 400, "EmailSignInError"),
  ErrorPageLoop: operator,
  EventError: operator,
  ExperimentalFeatureNotEnabled: operator,
  InvalidCallbackUrl: client("error", 400, "BadRequest"),
  InvalidCheck: client("signIn", 400, "OAuthCallbackError"),
  InvalidEndpoints: operator,
  InvalidProvider: client("error", 404, "BadRequest"),
  JWTSessionError: operator,
  MissingAdapter: operator,
  MissingAdapterMethods: operator,
  MissingAuthorize: operator,
  MissingCSRF: client("signIn", 403, "MissingCSRF"),
  MissingSecret: operator,
  MissingWebAuthnAutocomplete: operator,
  OAuthAccountNotLinked: client("signIn", 403, "OAuthAccountNotLinked"),
  OAuthCallbackError: { page: "signIn", status: 502, shown: "OAuthCallbackError", level: "error" },
  OAuthProfileParseError: { page: "signIn", status: 502, shown: "OAuthCallbackError", level: "error" },
  OAuthSignInError: { page: "signIn", status: 502, shown: "OAuthCallbackError", level: "error" },
  SessionTokenError: store,
  SignOutError: { ...store, shown: "SignOutError" },
  TooManyAttempts: client("error", 429, "TooManyAttempts"),
  UnknownAction: client("error", 404, "BadRequest"),
  UnsupportedStrategy: operator,
  UntrustedHost: operator,
  Verification: client("error", 403, "Verification"),
  WebAuthnVerificationError: client("error", 403, "WebAuthnVerificationError"),
} as const satisfies Record<string, ErrorRule>

/** The names of the types. */
export type ErrorType = keyof typeof ERRORS

/** What an error carries beside its message: the error behind it, and facts for the operator. Never a secret. */
export type ErrorCause = Record<string, unknown> & { err?: Error }

/** The facts of an argument; `{ cause }`, as `Error` takes it, is the same as the cause itself. */
function causeOf(value: unknown): ErrorCause {
  if (isError(value)) return { err: value }
  if (typeof value !== "object" || value === null) return {}
  const { cause, ...facts }: ErrorCause = { ...value }
  if (cause === undefined) return facts
  return typeof cause === "object" && cause !== null ? { ...facts, ...causeOf(cause) } : { ...facts, cause }
}

/** The cause of an error. As JSON it has the stacks of the errors behind it, and no secret. */
export function toCause(facts: ErrorCause): ErrorCause {
  const toJSON = () => causeRecord(facts, true)
  return Object.defineProperty(facts, "toJSON", { value: toJSON, enumerable: false })
}

/**
 * The base of all errors here. Takes a message, the error behind it, or facts, in any combination.
 *
 * @example
 * try { await req.getSession() } catch (error) {
 *   if (error instanceof AuthError && error.type === "AdapterError") …
 * }
 */
export class AuthError extends Error {
  /** Its subclasses have one each. */
  static type: ErrorType = "AuthError"
  /** Stable name of the kind of failure. */
  type: ErrorType
  /** Which page shows it. */
  kind: "signIn" | "error"
  override cause?: ErrorCause
  /** HTTP status, for Express' error handlers. */
  status: number
  /** May the message be shown to clients? */
  expose: boolean
  /** How loudly the operator hears of it. */
  level: "warn" | "error"
  /** Stable name of what is the matter: `npx latchkey explain` says more of it. */
  messageCode: MessageCode

  constructor(message?: string | Error | ErrorCause, facts?: Error | ErrorCause) {
    const text = typeof message === "string" ? message : isError(message) ? message.message : ""
    super(text)
    // The type lives on the class; a subclass without its own inherits it.
    const { type } = new.target
    const { page, status, level }: ErrorRule = ERRORS[type]
    this.name = new.target.name
    this.type = type
    this.kind = page
    this.status = status
    this.expose = status < 500
    this.level = level
    this.messageCode = MESSAGE_CODES[type]
    const cause = { ...(typeof message === "string" ? {} : causeOf(message)), ...causeOf(facts) }
    if (Object.keys(cause).length > 0) this.cause = toCause(cause)
    Object.defineProperty(this, BRAND, { value: lineage(new.target), enumerable: false })
    Error.captureStackTrace?.(this, new.target)
  }

  /**
   * The error as data for a log, secrets masked: name, type, code, status, message and causes, without stacks. Members
   * that other code has put on the errors behind it are left out.
   */
  toJSON(): Record<string, unknown> {
    const { name, type, messageCode, status, message, cause } = this
    const facts = cause === undefined ? {} : { cause: causeRecord(cause, false) }
    return { name, type, messageCode, status, message: printable(message), ...facts }
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // An application's own subclass has no brand of its own: the prototype chain decides.
    if (!Object.hasOwn(this, "type")) return Function.prototype[Symbol.hasInstance].call(this, value)
    if (typeof value !== "object" || value === null) return false
    const types: unknown = Reflect.get(value, BRAND)
    return Array.isArray(types) && types.includes(this.type === "AuthError" ? "AuthError" : this.type)
  }
}

function lineage(target: unknown): string[] {
  const types = new Set<string>()
  for (let c = target; typeof c === "function" && "type" in c; c = Object.getPrototypeOf(c)) types.add(String(c.type))
  return [...types]
}

/** The base of the errors that are shown on the sign-in page. */
export class SignInError extends AuthError {
  override kind: "signIn" | "error" = "signIn"
}

/** The `signIn` callback refused. */
export class AccessDenied extends AuthError {
  static override type: ErrorType = "AccessDenied"
}
/** The passkey's e-mail address belongs to another user. */
export class AccountNotLinked extends SignInError {
  static override type: ErrorType = "AccountNotLinked"
}
/** The store failed. */
export class AdapterError extends AuthError {
  static override type: ErrorType = "AdapterError"
}
/** The request can't be understood. */
export class BadRequest extends AuthError {
  static override type: ErrorType = "BadRequest"
}
/** Something in the application's own functions failed while a sign-in was finished. */
export class CallbackRouteError extends AuthError {
  static override type: ErrorType = "CallbackRouteError"
}
/**
 * The credentials are wrong. Throw it, or a subclass with its own `code`, from `authorize`.
 *
 * @example
 * class Locked extends CredentialsSignin { code = "locked" } // lands on …/signin?error=CredentialsSignin&code=locked
 */
export class CredentialsSignin extends SignInError {
  static override type: ErrorType = "CredentialsSignin"
  /** Shown in the address: at most 32 letters, digits, "_" and "-". */
  code = "credentials"
}
/** Two passkey providers ask for autofill. */
export class DuplicateConditionalUI extends AuthError {
  static override type: ErrorType = "DuplicateConditionalUI"
}
/** The mail with the link could not be sent. */
export class EmailSendError extends SignInError {
  static override type: ErrorType = "EmailSendError"
}
/** The address is not one. */
export class EmailSignInError extends SignInError {
  static override type: ErrorType = "EmailSignInError"
}
/** The page for errors is itself protected. */
export class ErrorPageLoop extends AuthError {
  static override type: ErrorType = "ErrorPageLoop"
}
/** A function in `events` failed; nothing else did. */
export class EventError extends AuthError {
  static override type: ErrorType = "EventError"
}
/** A feature must be turned on first. */
export class ExperimentalFeatureNotEnabled extends AuthError {
  static override type: ErrorType = "ExperimentalFeatureNotEnabled"
}
/** The `callbackUrl` of the query is not a URL. */
export class InvalidCallbackUrl extends AuthError {
  static override type: ErrorType = "InvalidCallbackUrl"
}
/** A sign-in attempt is unknown here, spent or too old: state, nonce or PKCE did not match. */
export class InvalidCheck extends AuthError {
  static override type: ErrorType = "InvalidCheck"
}
/** A provider lacks an endpoint and an issuer to discover it from. */
export class InvalidEndpoints extends AuthError {
  static override type: ErrorType = "InvalidEndpoints"
}
/** There is no such provider, or it can't do this. */
export class InvalidProvider extends AuthError {
  static override type: ErrorType = "InvalidProvider"
}
/** A session cookie could not be opened. */
export class JWTSessionError extends AuthError {
  static override type: ErrorType = "JWTSessionError"
}
/** An option needs `adapter`. */
export class MissingAdapter extends AuthError {
  static override type: ErrorType = "MissingAdapter"
}
/** The adapter lacks methods. */
export class MissingAdapterMethods extends AuthError {
  static override type: ErrorType = "MissingAdapterMethods"
}
/** A credentials provider has no `authorize`. */
export class MissingAuthorize extends AuthError {
  static override type: ErrorType = "MissingAuthorize"
}
/** A POST came without the CSRF token, with a wrong one, or from another site. */
export class MissingCSRF extends SignInError {
  static override type: ErrorType = "MissingCSRF"
}
/** There is no secret. */
export class MissingSecret extends AuthError {
  static override type: ErrorType = "MissingSecret"
}
/** No field of a passkey form asks for autofill. */
export class MissingWebAuthnAutocomplete extends AuthError {
  static override type: ErrorType = "MissingWebAuthnAutocomplete"
}
/** A user with this e-mail address exists and signs in another way. */
export class OAuthAccountNotLinked extends SignInError {
  static override type: ErrorType = "OAuthAccountNotLinked"
}
/** The provider refused, failed, or answered what can't be trusted. */
export class OAuthCallbackError extends SignInError {
  static override type: ErrorType = "OAuthCallbackError"
}
/** `profile()` of a provider failed. */
export class OAuthProfileParseError extends AuthError {
  static override type: ErrorType = "OAuthProfileParseError"
}
/** A sign-in could not be begun: the provider can't be reached or its metadata is wrong. */
export class OAuthSignInError extends SignInError {
  static override type: ErrorType = "OAuthSignInError"
}
/** A database session could not be read. */
export class SessionTokenError extends AuthError {
  static override type: ErrorType = "SessionTokenError"
}
/** The session could not be ended where it is kept. */
export class SignOutError extends AuthError {
  static override type: ErrorType = "SignOutError"
  /** What the browser is to forget all the same: the person asked for that. */
  cookies: readonly CookieChange[] = []
}
/** Too many sign-in attempts for one account or from one address. */
export class TooManyAttempts extends AuthError {
  static override type: ErrorType = "TooManyAttempts"
  /** Seconds until the next attempt may be made. */
  retryAfterSeconds = 60
}
/** There is no such action, or not with this method. */
export class UnknownAction extends AuthError {
  static override type: ErrorType = "UnknownAction"
  /** The methods that exist, for the `Allow` header of a 405. */
  allow?: readonly string[]
}
/** The session strategy does not go with the other options. */
export class UnsupportedStrategy extends AuthError {
  static override type: ErrorType = "UnsupportedStrategy"
}
/** The request's host is not trusted. */
export class UntrustedHost extends AuthError {
  static override type: ErrorType = "UntrustedHost"
}
/** The refusal of a request whose host nobody vouches for. */
export const untrustedHost = (address: string): UntrustedHost =>
  new UntrustedHost(
    `the host of the request is not trusted: ${address}. Set AUTH_URL to the site's address, or list its hosts: trustHost: ["example.com"]`,
  )

/** A sign-in link is unknown, spent or too old. */
export class Verification extends AuthError {
  static override type: ErrorType = "Verification"
}
/** A passkey's answer did not verify. */
export class WebAuthnVerificationError extends AuthError {
  static override type: ErrorType = "WebAuthnVerificationError"
}

/** One thing to mend in a configuration. */
export interface ConfigProblem {
  /** What kind of mistake it is. */
  readonly type: ErrorType
  /** Stable name of the problem: `npx latchkey explain` says more of it. */
  readonly code: MessageCode
  /** The option: `providers[0].clientId`. */
  readonly path: string
  /** What was seen, and the line to write. */
  readonly message: string
  /** Could requests be served all the same? The middleware refuses to start, `Auth` goes on, as the contract has it. */
  readonly isServable?: true
}

/** A thing to mend, by the option's path. Its type is the one whose code it has, else that of the whole list. */
export const configProblem = (code: MessageCode, path: string, message: string): ConfigProblem => ({
  type: typeOfCode(code) ?? "ConfigurationError",
  code,
  path,
  message,
})

/** Thrown at start-up: everything that is wrong with the configuration, at once. */
export class ConfigurationError extends AuthError {
  static override type: ErrorType = "ConfigurationError"
  /** In the order of the message. */
  declare readonly problems: readonly ConfigProblem[]
  constructor(problems: readonly ConfigProblem[], message = messageOfAll(problems)) {
    super(message)
    // Node prints the enumerable members of an uncaught error after its message, which lists the problems already.
    Object.defineProperty(this, "problems", { value: problems, enumerable: false })
    const [only, ...others] = codesOf(problems)
    if (only !== undefined && others.length === 0) this.messageCode = only
  }
}

const codesOf = (problems: readonly ConfigProblem[]): MessageCode[] => [...new Set(problems.map(({ code }) => code))]

function messageOfAll(problems: readonly ConfigProblem[]): string {
  const lines = problems.map(({ code, path, message }, index) => `  ${index + 1}. ${path}: ${message} [${code}]`)
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`
  const help = `npx latchkey explain ${codesOf(problems).join(" ")} says more.`
  return `latchkey can't start, its configuration has ${count}:\n${lines.join("\n")}\n${help}`
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
  SessionTokenError,
  SignOutError,
  TooManyAttempts,
  UnknownAction,
  UnsupportedStrategy,
  UntrustedHost,
  Verification,
  WebAuthnVerificationError,
}

/** An error of a type that is known by its name: an instance of the class of that type. */
export function errorOfType(type: keyof typeof CLASSES, ...args: ConstructorParameters<typeof AuthError>): AuthError {
  return new CLASSES[type](...args)
}

/** The value as an error of ours: by brand, or by the `type` that errors of other Auth.js packages carry. */
export function asAuthError(value: unknown): AuthError | undefined {
  if (value instanceof AuthError) return value
  if (!isError(value)) return undefined
  const type: unknown = Reflect.get(value, "type")
  if (typeof type !== "string" || !Object.hasOwn(CLASSES, type)) return undefined
  // Checked one line above: the type is a key of the table.
  const known = type as keyof typeof CLASSES
  const code: unknown = Reflect.get(value, "code")
  return Object.assign(errorOfType(known, value), typeof code === "string" && { code })
}

/** Any thrown value as an `Error`. */
export function asError(value: unknown): Error {
  try {
    return toError(value)
  } catch {
    // A proxy may refuse to tell what it is.
    return new Error("something was thrown that can't be looked at")
  }
}

function toError(value: unknown): Error {
  if (isError(value)) return value
  // A native driver may have a class of errors that no realm knows, under Jest for instance.
  const message: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "message") : undefined
  if (typeof message === "string") return new Error(message, { cause: value })
  return new Error(`a ${typeof value} was thrown, not an Error`)
}
