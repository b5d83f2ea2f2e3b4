import { readAuthentication } from "../../../../lib/methods/oauth/id-token.js"
import { createSite, NOW, providerOf } from "./test-site.js"

const SECONDS = NOW / 1000

/** Reads the authentication from these claims, half a second after `NOW`. */
function read(claims: Readonly<Record<string, unknown>>, trustAuthenticationContext = true) {
  const provider = providerOf(createSite({ type: "oidc", issuer: "https://acme.test", trustAuthenticationContext }))
  return readAuthentication(claims, { provider, nowMs: NOW + 500 })
}

describe("readAuthentication", () => {
  const claims = { amr: ["pwd", "otp"], acr: "level 2", auth_time: SECONDS - 60, sid: "session 1" }

  it("reads methods, context, time and session of a provider with trustAuthenticationContext", () => {
    const expected = { amr: ["pwd", "otp"], acr: "level 2", authTime: SECONDS - 60, providerSid: "session 1" }
    expect(read(claims)).toEqual(expected)
  })

  it("ignores methods and context of other providers", () => {
    expect(read(claims, false)).toEqual({ amr: [], authTime: SECONDS - 60, providerSid: "session 1" })
  })

  it("reads nothing from a token without these claims", () => {
    expect(read({})).toEqual({ amr: [] })
  })

  it.each<[unknown, string[]]>([
    [
      ["pwd", "x.y:z-1_2", "x".repeat(32)],
      ["pwd", "x.y:z-1_2", "x".repeat(32)],
    ],
    [["", "x".repeat(33), "a b", " otp", "otp ", "otp\n", "é", 7, null, ["otp"], "pwd"], ["pwd"]],
    [Array.from({ length: 11 }, (_, i) => `m${i}`), Array.from({ length: 10 }, (_, i) => `m${i}`)],
    ["pwd", []],
    [{ 0: "pwd" }, []],
  ])("reads the amr %j as the methods %j", (amr, expected) => {
    expect(read({ amr }).amr).toEqual(expected)
  })

  it.each([
    [1, 1],
    [1.9, 1],
    [SECONDS, SECONDS],
    // The clocks of the provider and of this server differ.
    [SECONDS + 1, SECONDS],
  ])("reads the auth_time %d as the time %d", (auth_time, expected) => {
    expect(read({ auth_time }).authTime).toBe(expected)
  })

  it.each([0, -1, Number.NaN, "1", null, [1], true])("ignores the auth_time %j", (auth_time) => {
    expect(read({ auth_time })).not.toHaveProperty("authTime")
  })

  it.each([
    ["acr", "acr"],
    ["sid", "providerSid"],
    ["sub", "providerSub"],
  ])("reads %s only if it is a text of 1 to 255 characters", (claim, member) => {
    for (const value of ["x", "x".repeat(255)]) expect(read({ [claim]: value })).toHaveProperty(member, value)
    for (const value of ["", "x".repeat(256), 7, null, ["x"]])
      expect(read({ [claim]: value })).not.toHaveProperty(member)
  })
})
