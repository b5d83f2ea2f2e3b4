/** The decision whether an authentication is recent and strong enough. */
import {
  findShortfalls,
  parseMaxAge,
  parseRequiredAuthentication,
  type RequiredAuthentication,
  toQuery,
} from "../../../lib/sessions/required-authentication.js"

const NOW = 1_900_000_000_000
const SECONDS = NOW / 1000

type Authentication = Parameters<typeof findShortfalls>[0]

const shortfallsFor = (
  authentication: Partial<NonNullable<Authentication>> | undefined,
  required: RequiredAuthentication,
) => findShortfalls(authentication && { amr: [], ...authentication }, required, NOW)

describe("findShortfalls", () => {
  it.each<[string, Parameters<typeof shortfallsFor>[0], RequiredAuthentication, readonly string[]]>([
    ["nothing is required", undefined, {}, []],
    ["the user was authenticated just now", { authTime: SECONDS }, { maxAgeSeconds: 600 }, []],
    ["the age is the maximum", { authTime: SECONDS - 600 }, { maxAgeSeconds: 600 }, []],
    ["the age is above the maximum", { authTime: SECONDS - 601 }, { maxAgeSeconds: 600 }, ["maxAgeSeconds"]],
    ["the time is unknown", {}, { maxAgeSeconds: 600 }, ["maxAgeSeconds"]],
    ["the authentication is unknown", undefined, { maxAgeSeconds: 600 }, ["maxAgeSeconds"]],
    ["another process has a faster clock", { authTime: SECONDS + 60 }, { maxAgeSeconds: 600 }, []],
    ["the time is in the future", { authTime: SECONDS + 61 }, { maxAgeSeconds: 600 }, ["maxAgeSeconds"]],
    ["two factors were used", { amr: ["pwd", "otp", "mfa"] }, { factors: 2 }, []],
    ["one factor was used", { amr: ["pwd"] }, { factors: 2 }, ["factors"]],
    ["two methods of one factor were used", { amr: ["pwd", "email"] }, { factors: 2 }, ["factors"]],
    ["a passkey without user verification was used", { amr: ["hwk", "user"] }, { factors: 2 }, ["factors"]],
    ["the factors are unknown", undefined, { factors: 2 }, ["factors"]],
    ["the context is the required one", { acr: "phr" }, { acr: "phr" }, []],
    ["the context is another one", { acr: "phrh" }, { acr: "phr" }, ["acr"]],
    ["the context is unknown", {}, { acr: "phr" }, ["acr"]],
    ["all methods were used", { amr: ["otp", "pwd"] }, { amr: ["pwd", "otp"] }, []],
    ["one of the methods was used", { amr: ["pwd"] }, { amr: ["pwd", "otp"] }, ["amr"]],
    ["the methods are unknown", undefined, { amr: ["pwd"] }, ["amr"]],
    [
      "all is required and nothing known",
      undefined,
      { maxAgeSeconds: 1, factors: 2, acr: "phr", amr: ["hwk"] },
      ["maxAgeSeconds", "factors", "acr", "amr"],
    ],
    [
      "all is required, and one thing is missing",
      { authTime: SECONDS, amr: ["hwk", "mfa"], acr: "low" },
      { maxAgeSeconds: 1, factors: 2, acr: "phr", amr: ["hwk"] },
      ["acr"],
    ],
  ])(
    "if %s: the authentication %j with the requirements %j has the shortfalls %j",
    (_, authentication, required, expected) => {
      expect(shortfallsFor(authentication, required)).toEqual(expected)
    },
  )
})

describe("parseMaxAge", () => {
  it.each([
    ["30s", 30],
    ["10m", 600],
    ["1h", 3600],
    [45, 45],
  ])("reads %p", (value, seconds) => {
    expect(parseMaxAge(value)).toBe(seconds)
  })

  it.each([
    "",
    "10",
    "10 m",
    "m",
    "1d",
    "-1m",
    "1.5h",
    "0s",
    0,
    -1,
    1.5,
    NaN,
    Infinity,
    1e9,
    null,
    undefined,
    true,
    ["10m"],
  ])("rejects %p", (value) => {
    expect(parseMaxAge(value)).toBe(undefined)
  })
})

describe("the query of the page", () => {
  it("carries every requirement", () => {
    const required: RequiredAuthentication = { maxAgeSeconds: 600, factors: 2, acr: "urn:a:b", amr: ["pwd", "otp"] }
    expect(parseRequiredAuthentication(toQuery(required))).toEqual(required)
    expect(toQuery({})).toEqual({})
  })

  it("is ignored where it is invalid", () => {
    const long = "x".repeat(256)
    expect(parseRequiredAuthentication({ max_age: "10m", factors: "3", acr_values: long, amr: long })).toEqual({})
    expect(parseRequiredAuthentication({ max_age: "0", amr: "  " })).toEqual({})
  })
})
