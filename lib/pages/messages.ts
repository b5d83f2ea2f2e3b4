/**
 * Selects the error messages of the pages. The parameter `error` of a URL selects a text of the language catalogue, and
 * is never shown itself.
 *
 * @module
 */
import type { Language } from "./texts.js"

/** Values of the parameter `error` in the URL of the error page. */
export type ErrorPageParam =
  | "Configuration"
  | "AccessDenied"
  | "Verification"
  | "TooManyAttempts"
  | "BadRequest"
  | "SignOutError"
  | "WebAuthnVerificationError"

/** Values of the parameter `error` in the URL of the sign-in page. */
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

/** Values of `error` on the page that asks for the second factor. */
export type SecondFactorErrorParam = "SecondFactorCode" | "SecondFactorRecoveryCode"

type Translate = Language["t"]

/** The values of `error` for which the sign-in page has its own message, with the key `signin.error.<value>`. */
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

/** The type of the provider whose form fields caused an error, by the value of `error`. */
const SIGN_IN_ERROR_SUBJECTS: Readonly<Record<string, "credentials" | "email">> = {
  CredentialsSignin: "credentials",
  EmailCreateAccount: "email",
  EmailSignin: "email",
  EmailSignInError: "email",
}

/**
 * Returns the type of the provider whose form fields caused the `error` on the sign-in page; undefined if the error is
 * not about form fields.
 *
 * @example
 * signInErrorSubject("CredentialsSignin") // "credentials"
 */
export function signInErrorSubject(error: string | null | undefined): "credentials" | "email" | undefined {
  return error && Object.hasOwn(SIGN_IN_ERROR_SUBJECTS, error) ? SIGN_IN_ERROR_SUBJECTS[error] : undefined
}

/**
 * Returns the sign-in page's message for an `error`; undefined without an error.
 *
 * @example
 * signInMessage("SessionRequired", t) // "Please sign in to see this page."
 */
export function signInMessage(error: string | null | undefined, t: Translate): string | undefined {
  if (!error) return undefined
  return t(`signin.error.${SIGN_IN_ERRORS.has(error) ? error : "unknown"}`)
}

const CODE_ERRORS: ReadonlySet<unknown> = new Set<CodeErrorParam>(["EmailCode", "EmailCodeExpired"])

/** Returns the `error` of the page "Check your email" if the page has a message for it; otherwise undefined. */
export const parseCodeError = (error: string | undefined): CodeErrorParam | undefined =>
  // The set contains all values of the type.
  CODE_ERRORS.has(error) ? (error as CodeErrorParam) : undefined

/** The values of `error` whose message on the reauthentication page has the key `reauthenticate.error.<value>`. */
const REAUTHENTICATION_ERRORS = new Set(["AccountNotLinked", "ConfirmationRequired"])

/**
 * Returns the reauthentication page's message for an `error`; undefined without an error.
 *
 * @example
 * reauthenticationMessage("AccountNotLinked", t) // "You confirmed another account. Nothing was changed."
 */
export function reauthenticationMessage(error: string | null | undefined, t: Translate): string | undefined {
  if (error && REAUTHENTICATION_ERRORS.has(error)) return t(`reauthenticate.error.${error}`)
  return error === "WebAuthnVerificationError" ? t("error.WebAuthnVerificationError.message") : signInMessage(error, t)
}

/** The texts, the link and the status of the error page. */
export interface ErrorMessage {
  readonly status: number
  readonly heading: string
  readonly message: string
  /** True if the page has a link to sign in. */
  readonly offersSignIn: boolean
  /** True if this link leads to the reauthentication page instead of the sign-in page. */
  readonly linksToReauthentication: boolean
  /** Selects the text of a link to the sign-in page: true for "Try again", false for "Sign in". */
  readonly isRetry: boolean
}

/** The values of `error` for which the link's text is "Sign in", because no sign-in has failed. */
const NO_FAILED_SIGN_IN = new Set(["SessionRequired", "SignOutError"])

/**
 * The status of the error page by the value of `error`. The page's texts are `error.<value>.heading` and `.message`.
 */
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

/** The status of the error page without `error`. */
const NO_ERROR_STATUS = 200
/** The status for an unknown value of `error`, because the request is then invalid. */
const UNKNOWN_STATUS = 400

/**
 * Returns the content of the error page for a value of `error`. Without `error`, or for an unknown value, the texts are
 * general.
 *
 * @example
 * errorMessage("AccessDenied", t).status // 403
 */
export function errorMessage(error: string | null | undefined, t: Translate): ErrorMessage {
  const knownStatus = ERROR_STATUS.get(error ?? "")
  const textKey = knownStatus === undefined ? "unknown" : error
  return {
    status: knownStatus ?? (error ? UNKNOWN_STATUS : NO_ERROR_STATUS),
    heading: t(`error.${textKey}.heading`),
    message: t(`error.${textKey}.message`),
    // With an invalid configuration every sign-in fails, so the page has no link to the sign-in page.
    offersSignIn: error !== "Configuration",
    linksToReauthentication: error === "ConfirmationRequired",
    isRetry: !NO_FAILED_SIGN_IN.has(error ?? ""),
  }
}
