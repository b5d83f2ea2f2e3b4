/**
 * What the pages say when something went wrong. An `error` in an address is only ever looked up here, never shown.
 *
 * @module
 */

const TRY_ANOTHER_WAY = "Please try again, or choose another way to sign in."

/** By the value of `error` on the sign-in page. */
const SIGN_IN_MESSAGES: Readonly<Record<string, string>> = {
  Signin: `We couldn't start the sign-in. ${TRY_ANOTHER_WAY}`,
  OAuthSignin: `We couldn't reach the sign-in service. ${TRY_ANOTHER_WAY}`,
  OAuthCallbackError: `The sign-in wasn't finished: it was cancelled, took too long, or the service had a problem. ${TRY_ANOTHER_WAY}`,
  OAuthCreateAccount: `We couldn't create an account from this sign-in. ${TRY_ANOTHER_WAY}`,
  EmailCreateAccount: "We couldn't create an account for this email address. Please try again, or use another address.",
  Callback: `The sign-in couldn't be completed. ${TRY_ANOTHER_WAY}`,
  OAuthAccountNotLinked:
    "There is already an account with this email address. To keep it safe, please sign in the way you did the first time.",
  AccountNotLinked:
    "This email address belongs to another account. Please sign in to that account first, the way you did before.",
  EmailSignin: "We couldn't send the email. Please try again in a few minutes.",
  EmailSignInError: "We couldn't send a link to this email address. Please check that it is spelled correctly.",
  CredentialsSignin: "We couldn't sign you in with these details. Please check them and try again.",
  MissingCSRF:
    "This page was open for too long, or your browser keeps no cookies for it. Please try again, with cookies allowed.",
  SessionRequired: "Please sign in to see this page.",
  Configuration: "Something is wrong on our side, so signing in doesn't work right now. Please try again later.",
}

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

const SIGN_IN_FALLBACK = `We couldn't sign you in. ${TRY_ANOTHER_WAY}`

/**
 * The sentence for an `error` on the sign-in page; undefined without one.
 *
 * @example
 * signInMessage("SessionRequired") // "Please sign in to see this page."
 */
export function signInMessage(error: string | null | undefined): string | undefined {
  if (!error) return undefined
  return Object.hasOwn(SIGN_IN_MESSAGES, error) ? SIGN_IN_MESSAGES[error] : SIGN_IN_FALLBACK
}

/** What the error page says, and the status it is sent with. */
export interface ErrorMessage {
  readonly status: number
  readonly heading: string
  readonly message: string
  /** Whether a link to the sign-in page helps. */
  readonly offersSignIn: boolean
}

/** By the value of `error` on the error page. */
const ERROR_PAGES: Readonly<Record<string, ErrorMessage>> = {
  Configuration: {
    status: 500,
    heading: "Signing in doesn't work right now",
    message:
      "Something is wrong on our side, and it isn't your fault. Please try again later. If you run this site, its log says more.",
    offersSignIn: false,
  },
  AccessDenied: {
    status: 403,
    heading: "You don't have access",
    message:
      "This account may not sign in here. If you have another one, try that, or ask the people who run this site.",
    offersSignIn: true,
  },
  Verification: {
    status: 403,
    heading: "This link no longer works",
    message:
      "A sign-in link works once and for a limited time. This one was used already or is too old. Please ask for a new one.",
    offersSignIn: true,
  },
  TooManyAttempts: {
    status: 429,
    heading: "Too many attempts",
    message: "To keep accounts safe, signing in is paused for a while. Please wait a few minutes and try again.",
    offersSignIn: true,
  },
  SignOutError: {
    status: 503,
    heading: "You may still be signed in",
    message:
      "We couldn't end your session. It is gone from this browser, but not yet from our side. Please sign in and out again later.",
    offersSignIn: true,
  },
  BadRequest: {
    status: 400,
    heading: "This address doesn't work",
    message: "It may be incomplete or out of date. Please go back and try once more, or start again.",
    offersSignIn: true,
  },
  WebAuthnVerificationError: {
    status: 403,
    heading: "Your passkey wasn't accepted",
    message: "It may have been removed, or the request took too long. Please try again, or sign in another way.",
    offersSignIn: true,
  },
}

const NO_ERROR: ErrorMessage = {
  status: 200,
  heading: "Something went wrong",
  message: "We couldn't finish what you asked for. Please go back and try again.",
  offersSignIn: true,
}

/** An `error` of nobody we know: the address was made up, so the request is wrong. */
const UNKNOWN_ERROR: ErrorMessage = { ...NO_ERROR, status: 400 }

/**
 * What the error page says for an `error`, with or without one.
 *
 * @example
 * errorMessage("AccessDenied").status // 403
 */
export function errorMessage(error: string | null | undefined): ErrorMessage {
  if (!error) return NO_ERROR
  return (Object.hasOwn(ERROR_PAGES, error) ? ERROR_PAGES[error] : undefined) ?? UNKNOWN_ERROR
}
