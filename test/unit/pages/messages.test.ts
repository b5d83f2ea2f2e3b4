import { ERRORS } from "../../../lib/errors.js"
import * as messages from "../../../lib/pages/messages.js"
import { english } from "./samples.js"

const { signInSubject } = messages
const signInMessage = (error: string | null | undefined) => messages.signInMessage(error, english.t)
const errorMessage = (error: string | null | undefined) => messages.errorMessage(error, english.t)

const FALLBACK = signInMessage("of nobody")

describe("signInMessage", () => {
  it("says nothing without an error", () => {
    expect(signInMessage(undefined)).toBeUndefined()
    expect(signInMessage(null)).toBeUndefined()
    expect(signInMessage("")).toBeUndefined()
  })

  it.each([
    ["Signin", /start the sign-in/],
    ["OAuthSignin", /reach the sign-in service/],
    ["OAuthCallbackError", /wasn't finished/],
    ["OAuthCreateAccount", /create an account/],
    ["EmailCreateAccount", /create an account for this email address/],
    ["Callback", /couldn't be completed/],
    ["OAuthAccountNotLinked", /the way you did the first time/],
    ["AccountNotLinked", /belongs to another account/],
    ["EmailSignin", /couldn't send the email/],
    ["EmailSignInError", /check that it is spelled correctly/],
    ["CredentialsSignin", /these details/],
    ["MissingCSRF", /cookies/],
    ["SessionRequired", /sign in to see this page/],
    ["Configuration", /on our side/],
  ])("has its own words for %s", (error, words) => {
    expect(signInMessage(error)).toMatch(words)
  })

  it("has its own words for every error that lands on the sign-in page", () => {
    const shown = Object.values(ERRORS).filter(({ page }) => page === "signIn")
    for (const { shown: error } of shown) expect([error, signInMessage(error)]).not.toEqual([error, FALLBACK])
  })

  it.each(["<b>", "credentialssignin", "constructor", "__proto__", "toString"])(
    "never repeats what it does not know: %s",
    (error) => {
      expect(signInMessage(error)).toBe(FALLBACK)
      expect(signInMessage(error)).not.toContain(error)
    },
  )
})

describe("errorMessage", () => {
  it.each([
    [undefined, 200, true],
    ["", 200, true],
    ["Configuration", 500, false],
    ["AccessDenied", 403, true],
    ["Verification", 403, true],
    ["TooManyAttempts", 429, true],
    ["BadRequest", 400, true],
    ["WebAuthnVerificationError", 403, true],
    ["of nobody", 400, true],
    ["constructor", 400, true],
    ["__proto__", 400, true],
  ])("answers %j with %i", (error, status, offersSignIn) => {
    expect(errorMessage(error)).toMatchObject({ status, offersSignIn })
    expect(errorMessage(error).heading).toMatch(/\w{3}/)
    expect(errorMessage(error).message).toMatch(/\.$/)
  })

  it("has its own words for every error that lands on the error page", () => {
    const fallback = errorMessage("of nobody").heading
    const shown = Object.values(ERRORS).filter(({ page }) => page === "error")
    for (const { shown: error } of shown) expect([error, errorMessage(error).heading]).not.toEqual([error, fallback])
  })

  it("never repeats what it does not know", () => {
    expect(JSON.stringify(errorMessage("<b>"))).not.toContain("<b>")
  })
})

it.each([
  ["CredentialsSignin", "credentials"],
  ["EmailSignin", "email"],
  ["EmailSignInError", "email"],
  ["OAuthCallbackError", undefined],
  ["constructor", undefined],
  [undefined, undefined],
])("an error of %s is about the fields of %s", (error, subject) => expect(signInSubject(error)).toBe(subject))
