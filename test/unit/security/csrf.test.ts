import {
  createCsrfToken,
  getOrCreateCsrfToken,
  isCrossSite,
  isCsrfToken,
  verifyCsrfCookie,
} from "../../../lib/security/csrf.js"
import {
  hmacSha256,
  isEqualText,
  randomHex,
  randomText,
  sha256Base64url,
  sha256Hex,
} from "../../../lib/security/tokens.js"
import { shortestDuration } from "../../support/shortest-duration.js"

describe("the CSRF cookie", () => {
  it.each([
    [
      "Auth.js's value for one secret",
      "abc|a42178b773273f5c9f24387fbea546af537d08b8c06b23631e44878b9ce47f49",
      ["secret"],
      "abc",
    ],
    [
      "Auth.js's value for joined secrets",
      "abc|61f1cb227f88ae9f70c7675948e2913e18b705b662cf9b873fc226e68e93ed58",
      ["b", "a"],
      "abc",
    ],
    ["the first of two secrets", `abc|${sha256Hex("abcb")}`, ["b", "a"], "abc"],
    ["the second of two secrets", `abc|${sha256Hex("abca")}`, ["b", "a"], "abc"],
    ["secrets joined in another order", `abc|${sha256Hex("abca,b")}`, ["b", "a"], undefined],
    ["another secret", `abc|${sha256Hex("abcx")}`, ["b", "a"], undefined],
    ["a token of one character", `a|${sha256Hex("asecret")}`, ["secret"], "a"],
    ["no hash", "abc|", ["secret"], undefined],
    ["no token", `|${sha256Hex("secret")}`, ["secret"], undefined],
    ["no separator", "abc", ["secret"], undefined],
    ["an empty cookie", "", ["secret"], undefined],
    ["no cookie", undefined, ["secret"], undefined],
    ["a hash in upper case", `abc|${sha256Hex("abcsecret").toUpperCase()}`, ["secret"], undefined],
    ["a second separator", `abc|${sha256Hex("abcsecret")}|x`, ["secret"], undefined],
    ["no configured secret", `abc|${sha256Hex("abc")}`, [], undefined],
  ])(
    "verifyCsrfCookie with %s: the cookie %j and the secrets %j yield the token %j",
    (_name, cookie, secrets, token) => {
      expect(verifyCsrfCookie(cookie, secrets)).toBe(token)
    },
  )

  it("createCsrfToken creates a random token that is hashed with the first secret, as Auth.js does", () => {
    const { token, cookie } = createCsrfToken(["b", "a"])
    expect(token).toMatch(/^[\da-f]{64}$/)
    expect(cookie).toBe(`${token}|${sha256Hex(`${token}b`)}`)
    expect(verifyCsrfCookie(cookie, ["b"])).toBe(token)
    expect(new Set(Array.from({ length: 1_000 }, () => createCsrfToken(["a"]).token)).size).toBe(1_000)
  })

  it("SEC-22: isCsrfToken recognises tokens by their checksum", () => {
    const tokens = Array.from({ length: 100 }, () => createCsrfToken(["a"]).token)
    expect(tokens.filter((token) => !isCsrfToken(token))).toEqual([])
    const withOtherChecksum = `${tokens[0]?.slice(0, 48)}${tokens[1]?.slice(48)}`
    const others = [
      ...Array.from({ length: 100 }, randomHex),
      "",
      "abc",
      "0".repeat(48),
      `${tokens[0]}0`,
      withOtherChecksum,
    ]
    expect(others.filter(isCsrfToken)).toEqual([])
  })

  const SECRETS = ["c", "b", "a"]
  const cookieFor = (secret: string) => `abc|${sha256Hex(`abc${secret}`)}`

  it.each([
    ["the first secret", "c", "c"],
    ["a later secret", "b", "c"],
    ["the last secret", "a", "c"],
    ["the joined secrets of Auth.js", "c,b,a", "c,b,a"],
  ])(
    "getOrCreateCsrfToken keeps the token of a cookie that was hashed with %s, and renews the cookie",
    (_name, secret, renewed) => {
      expect(getOrCreateCsrfToken(cookieFor(secret), SECRETS)).toEqual({ token: "abc", cookie: cookieFor(renewed) })
    },
  )

  it.each([undefined, "", "abc", cookieFor("another")])(
    "getOrCreateCsrfToken creates a new token for the cookie %j",
    (held) => {
      const { token, cookie } = getOrCreateCsrfToken(held, SECRETS)
      expect(token).toMatch(/^[\da-f]{64}$/)
      expect(cookie).toBe(`${token}|${sha256Hex(`${token}c`)}`)
    },
  )

  it("createCsrfToken throws without a secret", () => {
    expect(() => createCsrfToken([])).toThrow(new TypeError("creating a CSRF token requires a secret"))
  })
})

it.each([
  [{ "sec-fetch-site": "cross-site" }, true],
  [{ "sec-fetch-site": "same-origin" }, false],
  [{ "sec-fetch-site": "same-site" }, false],
  [{ "sec-fetch-site": "none" }, false],
  [{ "sec-fetch-site": "same-origin", origin: "https://evil.test" }, false],
  // A proxy may write the header twice or in capitals.
  [{ "sec-fetch-site": "cross-site,cross-site" }, true],
  [{ "sec-fetch-site": "same-origin , cross-site" }, true],
  [{ "sec-fetch-site": "CROSS-SITE" }, true],
  [{ "sec-fetch-site": "same-origin, same-site", origin: "https://evil.test" }, false],
  [{ "sec-fetch-site": "Same-Origin", origin: "https://evil.test" }, false],
  // An unknown value is ignored.
  [{ "sec-fetch-site": "same-origin, elsewhere", origin: "https://evil.test" }, true],
  [{ "sec-fetch-site": "elsewhere", origin: "https://app.test" }, false],
  [{ "sec-fetch-site": "elsewhere" }, false],
  [{ "sec-fetch-site": "", origin: "https://evil.test" }, true],
  [{ origin: "https://evil.test" }, true],
  [{ origin: "https://app.test:8443" }, true],
  [{ origin: "https://app.test.evil.test" }, true],
  [{ origin: "http://app.test" }, false],
  [{ origin: "https://app.test" }, false],
  [{ origin: "null" }, false],
  [{ origin: "not a url" }, true],
  [{ origin: "" }, true],
  [{}, false],
] as [Record<string, string>, boolean][])("isCrossSite for a POST with %j is %s", (headers, expected) => {
  expect(isCrossSite(new Headers(headers), "app.test")).toBe(expected)
})

it("SEC-03: isCrossSite reads a Sec-Fetch-Site header of 64 kB of spaces in linear time", async () => {
  const headers = new Headers({ "sec-fetch-site": `same-origin${" ".repeat(64 * 1024)}x` })
  expect(isCrossSite(headers, "app.test")).toBe(false)
  expect(await shortestDuration(() => isCrossSite(headers, "app.test"))).toBeLessThan(100)
})

describe("tokens", () => {
  it.each([
    ["", "", true],
    ["a", "a", true],
    ["a", "b", false],
    ["a", "aa", false],
    ["é", "e\u0301", false],
  ])("isEqualText(%j, %j) is %s", (a, b, expected) => {
    expect(isEqualText(a, b)).toBe(expected)
  })

  it("randomHex and randomText return 32 random bytes, and never the same ones", () => {
    expect(randomHex()).toMatch(/^[\da-f]{64}$/)
    expect(randomText()).toMatch(/^[\w-]{43}$/)
    expect(new Set(Array.from({ length: 10_000 }, randomText)).size).toBe(10_000)
  })

  it("sha256Hex and sha256Base64url match published test vectors", () => {
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    // RFC 7636, appendix B
    expect(sha256Base64url("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    )
  })

  it("hmacSha256 matches a published test vector", () => {
    // RFC 4231 §4.3
    expect(hmacSha256("Jefe", "what do ya want for nothing?").toString("hex")).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    )
  })
})
