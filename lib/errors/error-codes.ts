/**
 * The codes of errors: the default code of each type, and how an error gets a more specific one. The explanations are
 * in `codes/`, of which only types are imported here.
 *
 * @module
 */
import type { MessageCode } from "./message-code.js"
import type { ErrorType } from "./errors.js"

/** The default code of each type of error. */
export const MESSAGE_CODES: Readonly<Record<ErrorType, MessageCode>> = {
  AccessDenied: "access-denied",
  AccountNotLinked: "account-not-linked",
  AdapterError: "adapter-failed",
  AuthError: "unexpected-error",
  BadRequest: "bad-request",
  CallbackRouteError: "callback-failed",
  ConfigurationError: "configuration-invalid",
  CredentialsSignin: "credentials-refused",
  DuplicateConditionalUI: "passkey-autofill-twice",
  EmailSendError: "mail-not-sent",
  EmailSignInError: "email-address-invalid",
  ErrorPageLoop: "page-guarded",
  EventError: "event-failed",
  ExperimentalFeatureNotEnabled: "configuration-invalid",
  InvalidCallbackUrl: "callback-url-invalid",
  InvalidCheck: "flow-cookie-missing",
  InvalidEndpoints: "endpoints-missing",
  InvalidProvider: "provider-unknown",
  JWTSessionError: "session-unreadable",
  MissingAdapter: "adapter-missing",
  MissingAdapterMethods: "adapter-methods-missing",
  MissingAuthorize: "authorize-missing",
  MissingCSRF: "csrf-token-missing",
  MissingSecret: "secret-missing",
  MissingWebAuthnAutocomplete: "passkey-autofill-missing",
  OAuthAccountNotLinked: "account-not-linked",
  OAuthCallbackError: "provider-answer-invalid",
  OAuthProfileParseError: "profile-unusable",
  OAuthSignInError: "sign-in-not-started",
  SessionTokenError: "adapter-failed",
  SignOutError: "sign-out-failed",
  TooManyAttempts: "too-many-attempts",
  UnknownAction: "action-unknown",
  UnsupportedStrategy: "strategy-unsupported",
  UntrustedHost: "untrusted-host",
  Verification: "link-invalid",
  WebAuthnVerificationError: "passkey-refused",
}

/** The error type that has this default code; undefined if no type has it. */
export const errorTypeFor = (code: MessageCode): ErrorType | undefined =>
  // The keys of the table are types.
  (Object.keys(MESSAGE_CODES) as ErrorType[]).find((type) => MESSAGE_CODES[type] === code)

/**
 * Gives an error a more specific code than the default of its type.
 *
 * @example
 * throw coded("flow-finished", new InvalidCheck("the sign-in was finished already"))
 */
export const coded = <Failure extends { messageCode: MessageCode }>(
  messageCode: MessageCode,
  error: Failure,
): Failure => Object.assign(error, { messageCode })

/** An error with a code. The `AuthError` that wraps it gets the same code. */
export class CodedError extends Error {
  readonly messageCode: MessageCode

  constructor(messageCode: MessageCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.messageCode = messageCode
  }
}
