import { requireRedirectUrl, sameOriginOrBase } from "../../../lib/security/redirects.js"

const HTTPS = "https://app.test"
const HTTP = "http://app.test:3000"

describe("sameOriginOrBase", () => {
  it.each([
    [HTTPS, "HTTPS://APP.TEST/a//b"],
    [HTTPS, "https://app.test/a//b?c=//d"],
    [HTTP, "HTTP://APP.TEST:3000/a"],
  ])("with base %s returns %s unchanged", (baseUrl, url) => {
    expect(sameOriginOrBase({ url, baseUrl })).toBe(url)
  })

  it.each([
    [HTTPS, "/a//b", "https://app.test/a//b"],
    [HTTPS, "///a//b", "https://app.test/a//b"],
    [HTTPS, "https://app.test//evil.test//x", "https://app.test/evil.test//x"],
    [HTTP, "http://app.test:3000//", "http://app.test:3000/"],
    // On a page of the same scheme, a browser reads these as paths (WHATWG URL, "special relative or authority").
    [HTTPS, "https:app.test/x", "https://app.test/x"],
    [HTTPS, "https:/app.test/x", "https://app.test/x"],
    [HTTPS, " https://app.test/x", "https://app.test/x"],
    [HTTPS, "https:\\\\app.test/x", "https://app.test/x"],
  ])("with base %s rewrites %j to the unambiguous %j", (baseUrl, url, expected) => {
    expect(sameOriginOrBase({ url, baseUrl })).toBe(expected)
  })
})

describe("requireRedirectUrl", () => {
  it.each(["https://other.test", "https://other.test/", "http://app.test:3000"])(
    "returns %s unchanged, with or without a trailing slash",
    (text) => {
      expect(requireRedirectUrl(text, HTTPS)).toBe(text)
    },
  )

  it.each([
    ["HTTPS://Other.Test", "https://other.test/"],
    ["?error=x", "https://app.test/?error=x"],
  ])("completes %s to %s", (text, expected) => {
    expect(requireRedirectUrl(text, HTTPS)).toBe(expected)
  })

  it("throws a message that explains what callbacks.redirect must return", () => {
    const message = /^callbacks\.redirect returned text that is not the URL of a page\. Return a URL or a path/
    expect(() => requireRedirectUrl("javascript:alert(1)", HTTPS)).toThrow(message)
    expect(() => requireRedirectUrl("https://", HTTPS)).toThrow(message)
  })
})
