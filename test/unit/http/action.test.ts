import { isAuthAction, parseAction, pathBelow, trimPath } from "../../../lib/http/action.js"
import { shortestDuration } from "../../support/shortest-duration.js"

describe("parseAction", () => {
  it.each([
    ["/auuth/signin", "/auth"],
    ["/api/auth/signin", "/auth"],
    ["/auth/auth/signin/github", "/auth"],
    ["/api/auth/signinn", "/api/auth"],
    ["/api/auth/signinn/github", "/api/auth"],
    ["/api/auth/signin/github/github", "/api/auth"],
    ["/api/auth/signin/api/auth/signin/github", "/api/auth"],
    ["/auth", "/auth"],
    ["/auth/", "/auth"],
    ["/authsession", "/auth"],
    ["/auth/csrf/github", "/auth"],
    ["/auth/error/github", "/auth"],
    ["/auth/passkeys/passkey", "/auth"],
    ["/auth/sessions/github", "/auth"],
    ["/auth/accounts-removed/github", "/auth"],
    ["/auth/providers/github", "/auth"],
    ["/auth/session/x", "/auth"],
    ["/auth/signout/github", "/auth"],
    ["/auth/verify-request/mail", "/auth"],
    ["/auth/toString", "/auth"],
    ["/auth/assets", "/auth"],
    ["/auth/assets/styles.css", "/auth"],
    ["/auth/assets/styles.0123456789abcdef.css", "/auth"],
    ["/auth/assets/index-0123456789abcdef.js", "/auth"],
    ["/auth/assets/styles.0123456789abcdefABCDEF.css/x", "/auth"],
    ["/auth/assets/styles.0123456789abcdefABCDEF.map", "/auth"],
    ["/auth/assets/styles.0123456789abcdefABCDEF.css.map", "/auth"],
    ["/auth/assets/my-styles.0123456789abcdefABCDEF.css", "/auth"],
    ["/axb/signin", "/a.b"],
    ["/auth/signin/auth0//", "/auth"],
    ["/auth/signin//auth0", "/auth"],
    ["/auth//signin/auth0", "/auth"],
    ["/auth//signin", "/auth"],
    ["/auth/signin//", "/auth"],
    ["/auth//", "/auth"],
    ["//signin", ""],
  ])("finds no action in %s below %s", (path, base) => {
    expect(parseAction(path, base)).toBeUndefined()
  })

  it.each([
    ["/api/auth/signin/github", "/api/auth", { action: "signin", providerId: "github" }],
    ["/api/auth/signin/github/", "/api/auth", { action: "signin", providerId: "github" }],
    ["/auth/callback/auth0", "/auth", { action: "callback", providerId: "auth0" }],
    ["/auth/signin/auth0", "/auth", { action: "signin", providerId: "auth0" }],
    ["/auth/signin/auth0/", "/auth", { action: "signin", providerId: "auth0" }],
    ["/auth/signin/", "/auth", { action: "signin" }],
    ["/auth/signin/undefined", "/auth", { action: "signin" }],
    ["/auth/csrf/undefined", "/auth", { action: "csrf" }],
    ["/auth/webauthn-options/passkey", "/auth", { action: "webauthn-options", providerId: "passkey" }],
    ["/auth/backchannel-logout/oidc", "/auth", { action: "backchannel-logout", providerId: "oidc" }],
    ["/auth/post-logout/oidc", "/auth", { action: "post-logout", providerId: "oidc" }],
    ["/auth/signout", "/auth", { action: "signout" }],
    ["/auth/accounts-removed", "/auth", { action: "accounts-removed" }],
    [
      "/auth/assets/styles.0123456789abc-_fABCDEF.css",
      "/auth",
      { action: "assets", asset: "styles.0123456789abc-_fABCDEF.css" },
    ],
    ["/signout", "", { action: "signout" }],
    ["/a.b/signin", "/a.b", { action: "signin" }],
  ])("finds the action in %s below %s: %j", (path, base, expected) => {
    expect(parseAction(path, base)).toEqual(expected)
  })
})

it("isAuthAction is true for the nine actions of Auth.js and for no other name", () => {
  const names = "callback csrf error providers session signin signout verify-request webauthn-options".split(" ")
  expect(names.filter(isAuthAction)).toEqual(names)
  expect(["", "Signin", "signin/", "constructor", "__proto__", "verify", "assets"].filter(isAuthAction)).toEqual([])
})

it.each([
  ["/", ""],
  ["", ""],
  ["auth", "/auth"],
  ["/auth/", "/auth"],
  ["//a/b//", "/a/b"],
])("trimPath(%j) is %j", (path, expected) => {
  expect(trimPath(path)).toBe(expected)
})

it.each([
  ["/auth", "/auth", ""],
  ["/auth/x", "/auth", "/x"],
  ["/authx", "/auth", undefined],
  ["/x", "", "/x"],
])("pathBelow(%j, %j) is %j", (path, base, expected) => {
  expect(pathBelow(path, base)).toBe(expected)
})

it("SEC-03: trimPath handles a path of 64 kB of slashes in linear time", async () => {
  const path = `a${"/".repeat(64 * 1024)}b`
  expect(trimPath(path)).toBe(`/${path}`)
  expect(await shortestDuration(() => trimPath(path))).toBeLessThan(100)
})
