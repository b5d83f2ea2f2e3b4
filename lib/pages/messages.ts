/**
 * What the pages say when something went wrong, by keys of the catalogues. An `error` in an address is only ever looked
 * up here, never shown.
 *
 * @module
 */
import type { Language } from "./texts.js"

type Translate = Language["t"]

/** Values of `error` that have their own sentence on the sign-in page: `signin.error.<value>`. */
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

/** Whose fields an `error` on the sign-in page is about. */
const SIGN_IN_SUBJECTS: Readonly<Record<string, "credentials" | "email">> = {
  CredentialsSignin: "credentials",
  EmailCreateAccount: "email",
  EmailSignin: "email",
  EmailSignInError: "email",
}

/**
 * The type of the providers whose fields an `error` on the sign-in page is about; undefined when it is about none.
 *
 * @example
 * signInSubject("CredentialsSignin") // "credentials"
 */
export function signInSubject(error: string | null | undefined): "credentials" | "email" | undefined {
  return error && Object.hasOwn(SIGN_IN_SUBJECTS, error) ? SIGN_IN_SUBJECTS[error] : undefined
}

/**
 * The sentence for an `error` on the sign-in page; undefined without one.
 *
 * @example
 * signInMessage("SessionRequired", t) // "Please sign in to see this page."
 */
export function signInMessage(error: string | null | undefined, t: Translate): string | undefined {
  if (!error) return undefined
  return t(`signin.error.${SIGN_IN_ERRORS.has(error) ? error : "unknown"}`)
}

/** What the error page says, and the status it is sent with. */
export interface ErrorMessage {
  readonly status: number
  readonly heading: string
  readonly message: string
  /** Whether a link to the sign-in page helps. */
  readonly offersSignIn: boolean
}

/** The status by the value of `error` on the error page; the words are `error.<value>.heading` and `.message`. */
const ERROR_STATUS: ReadonlyMap<string, number> = new Map([
  ["Configuration", 500],
  ["AccessDenied", 403],
  ["Verification", 403],
  ["TooManyAttempts", 429],
  ["SignOutError", 503],
  ["BadRequest", 400],
  ["SessionRequired", 401],
  ["WebAuthnVerificationError", 403],
])

const NO_ERROR_STATUS = 200
/** Of an `error` that nobody knows: the address was made up, so the request is wrong. */
const UNKNOWN_STATUS = 400

/**
 * What the error page says for an `error`, with or without one.
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
    // Nobody can sign in where the operator has made a mistake.
    offersSignIn: error !== "Configuration",
  }
}
