/**
 * The error messages of the pages, by catalogue key. The `error` of a URL is only looked up here and never shown.
 *
 * @module
 */
import type { Language } from "./texts.js"

/** Values of `error` on the error page. */
export type ErrorPageParam =
  | "Configuration"
  | "AccessDenied"
  | "Verification"
  | "TooManyAttempts"
  | "BadRequest"
  | "SignOutError"
  | "WebAuthnVerificationError"

/** Values of `error` on the sign-in page. */
export type SignInPageErrorParam =
  | "Signin"
  | "OAuthSignin"
  | "OAuthCallbackError"
  | "OAuthCreateAccount"
  | "EmailCreateAccount"
  | "Callback"
  | "OAuthAccountNotLinked"
  | "AccountNotLinked"
  | "EmailSignin"
  | "EmailSignInError"
  | "CredentialsSignin"
  | "MissingCSRF"
  | "SessionRequired"

/** Values of `error` on the page "Check your email". */
export type CodeErrorParam = "EmailCode" | "EmailCodeExpired"

/** Values of `error` on the page of the second factor. */
export type SecondFactorErrorParam = "SecondFactorCode" | "SecondFactorRecoveryCode"

type Translate = Language["t"]

/** Values of `error` with their own message on the sign-in page: `signin.error.<value>`. */
const SIGN_IN_ERRORS = new Set([
  "Signin",
  "OAuthSignin",
  "OAuthCallbackError",
  "OAuthCreateAccount",
  "EmailCreateAccount",
  "Callback",
  "OAuthAccountNotLinked",
  "AccountNotLinked",
  "EmailSignin",
  "EmailSignInError",
  "CredentialsSignin",
  "MissingCSRF",
  "SessionRequired",
  "Configuration",
])

/** The provider type to whose fields an `error` on the sign-in page refers. */
const SIGN_IN_SUBJECTS: Readonly<Record<string, "credentials" | "email">> = {
  CredentialsSignin: "credentials",
  EmailCreateAccount: "email",
  EmailSignin: "email",
  EmailSignInError: "email",
}

/**
 * Returns the provider type to whose fields an `error` on the sign-in page refers; undefined without such fields.
 *
 * @example
 * signInSubject("CredentialsSignin") // "credentials"
 */
export function signInSubject(error: string | null | undefined): "credentials" | "email" | undefined {
  return error && Object.hasOwn(SIGN_IN_SUBJECTS, error) ? SIGN_IN_SUBJECTS[error] : undefined
}

/**
 * Returns the message for an `error` on the sign-in page; undefined without an error.
 *
 * @example
 * signInMessage("SessionRequired", t) // "Please sign in to see this page."
 */
export function signInMessage(error: string | null | undefined, t: Translate): string | undefined {
  if (!error) return undefined
  return t(`signin.error.${SIGN_IN_ERRORS.has(error) ? error : "unknown"}`)
}

const CODE_ERRORS: ReadonlySet<unknown> = new Set<CodeErrorParam>(["EmailCode", "EmailCodeExpired"])

/** Parses an `error` on the page "Check your email"; undefined without a known one. */
export const parseCodeError = (error: string | undefined): CodeErrorParam | undefined =>
  // The set contains all values of the type.
  CODE_ERRORS.has(error) ? (error as CodeErrorParam) : undefined

/** Values of `error` with their own message on the page on which users confirm who they are. */
const CONFIRMATION_ERRORS = new Set(["AccountNotLinked", "ConfirmationRequired"])

/**
 * Returns the message for an `error` on the page on which users confirm who they are; undefined without an error.
 *
 * @example
 * confirmationMessage("AccountNotLinked", t) // "You confirmed another account. Nothing was changed."
 */
export function confirmationMessage(error: string | null | undefined, t: Translate): string | undefined {
  if (error && CONFIRMATION_ERRORS.has(error)) return t(`reauthenticate.error.${error}`)
  return error === "WebAuthnVerificationError" ? t("error.WebAuthnVerificationError.message") : signInMessage(error, t)
}

/** The content and the status of the error page. */
export interface ErrorMessage {
  readonly status: number
  readonly heading: string
  readonly message: string
  /** True if the page links to the sign-in page. */
  readonly offersSignIn: boolean
  /** True if that link leads to the page on which the current user confirms who they are. */
  readonly isConfirmation: boolean
  /** True if that link repeats a sign-in that failed. */
  readonly isRetry: boolean
}

/** Values of `error` after which the user has to sign in, without a sign-in that failed. */
const NO_ATTEMPT = new Set(["SessionRequired", "SignOutError"])

/** The status by the value of `error` on the error page. The texts are `error.<value>.heading` and `.message`. */
const ERROR_STATUS: ReadonlyMap<string, number> = new Map([
  ["Configuration", 500],
  ["AccessDenied", 403],
  ["Verification", 403],
  ["TooManyAttempts", 429],
  ["SignOutError", 503],
  ["BadRequest", 400],
  ["SessionRequired", 401],
  ["ConfirmationRequired", 401],
  ["WebAuthnVerificationError", 403],
])

const NO_ERROR_STATUS = 200
/** The status for an unknown `error`: the request is invalid. */
const UNKNOWN_STATUS = 400

/**
 * Returns the content of the error page, with or without an `error`.
 *
 * @example
 * errorMessage("AccessDenied", t).status // 403
 */
export function errorMessage(error: string | null | undefined, t: Translate): ErrorMessage {
  const known = ERROR_STATUS.get(error ?? "")
  const name = known === undefined ? "unknown" : error
  return {
    status: known ?? (error ? UNKNOWN_STATUS : NO_ERROR_STATUS),
    heading: t(`error.${name}.heading`),
    message: t(`error.${name}.message`),
    // A configuration error prevents every sign-in, so there is no link.
    offersSignIn: error !== "Configuration",
    isConfirmation: error === "ConfirmationRequired",
    isRetry: !NO_ATTEMPT.has(error ?? ""),
  }
}
