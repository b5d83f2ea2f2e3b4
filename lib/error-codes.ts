/**
 * The codes that errors have: which one where nothing more is known than the type, and how a finer one is given. What
 * there is to say of each stands in `codes/`, of which nothing is loaded here.
 *
 * @module
 */
import type { MessageCode } from "./codes/index.js"
import type { ErrorType } from "./errors.js"

/** The code of an error that says no other. */
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
  ErrorPageLoop: "error-page-protected",
  EventError: "event-failed",
  ExperimentalFeatureNotEnabled: "experimental-feature-off",
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
  OAuthSignInError: "sign-in-not-begun",
  SessionTokenError: "session-store-failed",
  SignOutError: "sign-out-failed",
  TooManyAttempts: "too-many-attempts",
  UnknownAction: "action-unknown",
  UnsupportedStrategy: "strategy-unsupported",
  UntrustedHost: "untrusted-host",
  Verification: "link-invalid",
  WebAuthnVerificationError: "passkey-refused",
}

/** The type whose own code it is; undefined for a code that no type has alone. */
export const typeOfCode = (code: MessageCode): ErrorType | undefined =>
  // The keys of the table are types.
  (Object.keys(MESSAGE_CODES) as ErrorType[]).find((type) => MESSAGE_CODES[type] === code)

/**
 * An error with a finer code than its type's.
 *
 * @example
 * throw coded("flow-finished", new InvalidCheck("the sign-in was finished already"))
 */
export const coded = <Failure extends { messageCode: MessageCode }>(
  messageCode: MessageCode,
  error: Failure,
): Failure => Object.assign(error, { messageCode })

/** A failure whose reason is known, on its way to an error of ours, which takes its code over. */
export class Fault extends Error {
  readonly messageCode: MessageCode

  constructor(messageCode: MessageCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.messageCode = messageCode
  }
}
