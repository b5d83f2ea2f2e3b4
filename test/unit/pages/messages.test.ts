import { ERRORS } from "../../../lib/errors/errors.js"
import * as messages from "../../../lib/pages/messages.js"
import { english } from "./samples.js"

const { signInErrorSubject } = messages
const signInMessage = (error: string | null | undefined) => messages.signInMessage(error, english.t)
const errorMessage = (error: string | null | undefined) => messages.errorMessage(error, english.t)

const FALLBACK = signInMessage("unknown")

describe("signInMessage", () => {
  it("returns undefined without an error", () => {
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
  ])("returns a specific message for %s", (error, words) => {
    expect(signInMessage(error)).toMatch(words)
  })

  it("returns a specific message for every error of the sign-in page", () => {
    const shown = Object.values(ERRORS).filter(({ page }) => page === "signIn")
    for (const { clientCode: error } of shown) expect([error, signInMessage(error)]).not.toEqual([error, FALLBACK])
  })

  it.each(["<b>", "credentialssignin", "constructor", "__proto__", "toString"])(
    "does not repeat the unknown error %s",
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
    ["unknown", 400, true],
    ["constructor", 400, true],
    ["__proto__", 400, true],
  ])("for %j returns the status %i", (error, status, offersSignIn) => {
    expect(errorMessage(error)).toMatchObject({ status, offersSignIn })
    expect(errorMessage(error).heading).toMatch(/\w{3}/)
    expect(errorMessage(error).message).toMatch(/\.$/)
  })

  it("returns a specific heading for every error of the error page", () => {
    const fallback = errorMessage("unknown").heading
    const shown = Object.values(ERRORS).filter(({ page }) => page === "error")
    for (const { clientCode: error } of shown)
      expect([error, errorMessage(error).heading]).not.toEqual([error, fallback])
  })

  it("does not repeat an unknown error", () => {
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
])("signInErrorSubject(%j) is %j", (error, subject) => expect(signInErrorSubject(error)).toBe(subject))
