import { createCsrfToken, csrfTokenOf, isCrossSite, isCsrfToken, readCsrfCookie } from "../../../lib/security/csrf.js"
import {
  hmacSha256,
  isEqualText,
  randomHex,
  randomText,
  sha256Base64url,
  sha256Hex,
} from "../../../lib/security/tokens.js"

describe("the CSRF cookie", () => {
  it.each([
    [
      "the contract's vector",
      "abc|a42178b773273f5c9f24387fbea546af537d08b8c06b23631e44878b9ce47f49",
      ["secret"],
      "abc",
    ],
    [
      "its second, of joined secrets",
      "abc|61f1cb227f88ae9f70c7675948e2913e18b705b662cf9b873fc226e68e93ed58",
      ["b", "a"],
      "abc",
    ],
    ["the first of two secrets", `abc|${sha256Hex("abcb")}`, ["b", "a"], "abc"],
    ["the old one of two secrets", `abc|${sha256Hex("abca")}`, ["b", "a"], "abc"],
    ["a joined form in another order", `abc|${sha256Hex("abca,b")}`, ["b", "a"], undefined],
    ["another secret", `abc|${sha256Hex("abcx")}`, ["b", "a"], undefined],
    ["a token of one letter", `a|${sha256Hex("asecret")}`, ["secret"], "a"],
    ["no hash", "abc|", ["secret"], undefined],
    ["no token", `|${sha256Hex("secret")}`, ["secret"], undefined],
    ["no separator", "abc", ["secret"], undefined],
    ["nothing", "", ["secret"], undefined],
    ["no cookie", undefined, ["secret"], undefined],
    ["a hash in capitals", `abc|${sha256Hex("abcsecret").toUpperCase()}`, ["secret"], undefined],
    ["a second separator", `abc|${sha256Hex("abcsecret")}|x`, ["secret"], undefined],
    ["no secret at all", `abc|${sha256Hex("abc")}`, [], undefined],
  ])("with %s", (_name, cookie, secrets, token) => {
    expect(readCsrfCookie(cookie, secrets)).toBe(token)
  })

  it("is made with the first secret, of 192 random bits, in the form of Auth.js", () => {
    const { token, cookie } = createCsrfToken(["b", "a"])
    expect(token).toMatch(/^[\da-f]{64}$/)
    expect(cookie).toBe(`${token}|${sha256Hex(`${token}b`)}`)
    expect(readCsrfCookie(cookie, ["b"])).toBe(token)
    expect(new Set(Array.from({ length: 1_000 }, () => createCsrfToken(["a"]).token)).size).toBe(1_000)
  })

  it("SEC-22: is known as one by its own digits", () => {
    const tokens = Array.from({ length: 100 }, () => createCsrfToken(["a"]).token)
    expect(tokens.filter((token) => !isCsrfToken(token))).toEqual([])
    const others = [...Array.from({ length: 100 }, randomHex), "", "abc", "0".repeat(48), `${tokens[0]}0`]
    expect(others.filter(isCsrfToken)).toEqual([])
  })

  const SECRETS = ["c", "b", "a"]
  const made = (secret: string) => `abc|${sha256Hex(`abc${secret}`)}`

  it.each([
    ["the first secret", "c", "c"],
    ["a secret on its way out", "b", "c"],
    ["the last secret on its way out", "a", "c"],
    ["joined secrets, as Auth.js makes it", "c,b,a", "c,b,a"],
  ])("keeps its token with %s, and is good when that one is gone", (_name, secret, renewed) => {
    expect(csrfTokenOf(made(secret), SECRETS)).toEqual({ token: "abc", cookie: made(renewed) })
  })

  it.each([undefined, "", "abc", made("another")])("is fresh for a browser that comes with %j", (held) => {
    const { token, cookie } = csrfTokenOf(held, SECRETS)
    expect(token).toMatch(/^[\da-f]{64}$/)
    expect(cookie).toBe(`${token}|${sha256Hex(`${token}c`)}`)
  })

  it("is not made without a secret: anybody could make the same", () => {
    expect(() => createCsrfToken([])).toThrow(new TypeError("a secret is needed to make a CSRF token"))
  })
})

it.each([
  [{ "sec-fetch-site": "cross-site" }, true],
  [{ "sec-fetch-site": "same-origin" }, false],
  [{ "sec-fetch-site": "same-site" }, false],
  [{ "sec-fetch-site": "none" }, false],
  [{ "sec-fetch-site": "same-origin", origin: "https://evil.test" }, false],
  // What a proxy may make of it: written twice, or in capitals.
  [{ "sec-fetch-site": "cross-site,cross-site" }, true],
  [{ "sec-fetch-site": "same-origin , cross-site" }, true],
  [{ "sec-fetch-site": "CROSS-SITE" }, true],
  [{ "sec-fetch-site": "same-origin, same-site", origin: "https://evil.test" }, false],
  [{ "sec-fetch-site": "Same-Origin", origin: "https://evil.test" }, false],
  // What nobody knows says nothing.
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
] as [Record<string, string>, boolean][])("a POST with %j comes from another site: %s", (headers, expected) => {
  expect(isCrossSite(new Headers(headers), "app.test")).toBe(expected)
})

it("SEC-03: reads a Sec-Fetch-Site header of 64 kB of spaces in linear time", () => {
  const headers = new Headers({ "sec-fetch-site": `same-origin${" ".repeat(64 * 1024)}x` })
  const startedAt = performance.now()
  expect(isCrossSite(headers, "app.test")).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(100)
})

describe("tokens", () => {
  it.each([
    ["", "", true],
    ["a", "a", true],
    ["a", "b", false],
    ["a", "aa", false],
    ["é", "e\u0301", false],
  ])("%j equals %j: %s", (a, b, expected) => {
    expect(isEqualText(a, b)).toBe(expected)
  })

  it("are 32 random bytes, never the same", () => {
    expect(randomHex()).toMatch(/^[\da-f]{64}$/)
    expect(randomText()).toMatch(/^[\w-]{43}$/)
    expect(new Set(Array.from({ length: 10_000 }, randomText)).size).toBe(10_000)
  })

  it("are hashed as everybody does", () => {
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    // RFC 7636, appendix B
    expect(sha256Base64url("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    )
  })

  it("are hashed with a secret as everybody does", () => {
    // RFC 4231 §4.3
    expect(hmacSha256("Jefe", "what do ya want for nothing?").toString("hex")).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    )
  })
})
