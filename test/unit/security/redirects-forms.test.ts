import { requireTarget, sameOriginOrBase } from "../../../lib/security/redirects.js"

const HTTPS = "https://app.test"
const HTTP = "http://app.test:3000"

describe("an address of this site", () => {
  it.each([
    [HTTPS, "HTTPS://APP.TEST/a//b"],
    [HTTPS, "https://app.test/a//b?c=//d"],
    [HTTP, "HTTP://APP.TEST:3000/a"],
  ])("of %s stays as it was written: %s", (baseUrl, url) => {
    expect(sameOriginOrBase({ url, baseUrl })).toBe(url)
  })

  it.each([
    [HTTPS, "/a//b", "https://app.test/a//b"],
    [HTTPS, "///a//b", "https://app.test/a//b"],
    [HTTPS, "https://app.test//evil.test//x", "https://app.test/evil.test//x"],
    [HTTP, "http://app.test:3000//", "http://app.test:3000/"],
    // On a page of the same scheme a browser takes these for paths (WHATWG URL, "special relative or authority").
    [HTTPS, "https:app.test/x", "https://app.test/x"],
    [HTTPS, "https:/app.test/x", "https://app.test/x"],
    [HTTPS, " https://app.test/x", "https://app.test/x"],
    [HTTPS, "https:\\\\app.test/x", "https://app.test/x"],
  ])("of %s is made plain where it could be read otherwise: %j", (baseUrl, url, expected) => {
    expect(sameOriginOrBase({ url, baseUrl })).toBe(expected)
  })
})

describe("where an application sends people", () => {
  it.each(["https://other.test", "https://other.test/", "http://app.test:3000"])(
    "%s stays as it was written, a slash at the end or none",
    (text) => {
      expect(requireTarget(text, HTTPS)).toBe(text)
    },
  )

  it.each([
    ["HTTPS://Other.Test", "https://other.test/"],
    ["?error=x", "https://app.test/?error=x"],
  ])("%s is made whole", (text, expected) => {
    expect(requireTarget(text, HTTPS)).toBe(expected)
  })

  it("is said to be wrong where it is no place, so that the application's author knows what to mend", () => {
    const said = /^callbacks\.redirect returned no URL of a page\. Return a URL or a path/
    expect(() => requireTarget("javascript:alert(1)", HTTPS)).toThrow(said)
    expect(() => requireTarget("https://", HTTPS)).toThrow(said)
  })
})
