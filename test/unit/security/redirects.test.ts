import { isCallbackUrl, pageUrl, requireRedirectUrl, sameOriginOrBase } from "../../../lib/security/redirects.js"
import { anyDestination, fc } from "../../support/properties.js"

const ORIGIN = "https://app.test"

describe("sameOriginOrBase", () => {
  it.each([
    ["/", "https://app.test/"],
    ["/x?a=1#b", "https://app.test/x?a=1#b"],
    ["https://app.test/x", "https://app.test/x"],
    ["https://app.test:443/x", "https://app.test:443/x"],
    ["HTTPS://APP.TEST/x", "HTTPS://APP.TEST/x"],
    ["/é", "https://app.test/%C3%A9"],
    ["https:app.test", "https://app.test/"],
    ["//evil.test/x", "https://app.test/evil.test/x"],
    ["/\\evil.test", "https://app.test/evil.test"],
    ["http://app.test/", ORIGIN],
    ["https://app.test:444/", ORIGIN],
    ["https://app.test.evil.test/", ORIGIN],
    ["https://app.test@evil.test/", ORIGIN],
    ["https://user@app.test/", ORIGIN],
    ["javascript:alert(1)", ORIGIN],
    ["blob:https://app.test/1", ORIGIN],
    ["notaurl", ORIGIN],
    ["", ORIGIN],
    ["x/y", ORIGIN],
  ])("turns %j into %j", (url, expected) => {
    expect(sameOriginOrBase({ url, baseUrl: ORIGIN })).toBe(expected)
  })

  it.each([ORIGIN, "http://127.0.0.1:3000", "http://[::1]:8080"])(
    "stays on %s, and never returns a path that browsers read as another host (property)",
    (baseUrl) => {
      fc.assert(
        fc.property(anyDestination, (url) => {
          const result = sameOriginOrBase({ url, baseUrl })
          const { origin, pathname, username } = new URL(result)
          expect([url, origin, username]).toEqual([url, baseUrl, ""])
          expect(pathname).not.toMatch(/^[/\\]{2}/)
          // Applying it twice, as when a cookie is read back, changes nothing.
          expect(new URL(sameOriginOrBase({ url: result, baseUrl })).href).toBe(new URL(result).href)
          expect(new URL(result, "https://elsewhere.test").origin).toBe(baseUrl)
        }),
      )
    },
  )
})

it.each([
  ["/", true],
  ["/x", true],
  ["//evil.test", true],
  ["https://x.test", true],
  ["http://x.test", true],
  ["non-relative", false],
  ["a", false],
  ["", false],
  ["javascript:1", false],
  ["ftp://x.test", false],
  ["https://", false],
  ["//[", false],
])("isCallbackUrl(%j) is %s", (text, expected) => {
  expect(isCallbackUrl(text)).toBe(expected)
})

it.each([
  ["/x", "https://app.test/x"],
  ["", "https://app.test/"],
  ["https://other.test/é", "https://other.test/%C3%A9"],
  ["myapp://callback", "myapp://callback"],
])("requireRedirectUrl(%j) is %s", (text, expected) => {
  expect(requireRedirectUrl(text, ORIGIN)).toBe(expected)
})

it.each([
  "javascript:alert(1)",
  " JAVASCRIPT:alert(1)",
  "java\nscript:x",
  "data:text/html,x",
  "vbscript:x",
  "blob:x",
  "http://",
])("requireRedirectUrl(%j) throws", (text) => {
  expect(() => requireRedirectUrl(text, ORIGIN)).toThrow(TypeError)
})

it.each([new URL("https://other.test"), new URL("https://other.test/x?y=z#top")])(
  "requireRedirectUrl accepts the URL object %s from JavaScript",
  (url) => {
    expect(Reflect.apply(requireRedirectUrl, undefined, [url, ORIGIN])).toBe(url.href)
  },
)

it.each([
  [undefined, "undefined"],
  [null, "null"],
  [1, "number"],
  [{ href: "/x" }, "object"],
  [Promise.resolve("/x"), "object"],
])("requireRedirectUrl rejects %p from JavaScript, and reports that the callback returned %s", (value, name) => {
  expect(() => Reflect.apply(requireRedirectUrl, undefined, [value, ORIGIN])).toThrow(
    new TypeError(
      `callbacks.redirect returned ${name}. Return a URL or a path in every case: redirect: ({ url, baseUrl }) => url`,
    ),
  )
})

it.each([
  ["/login", {}, "https://app.test/login"],
  ["/login", { error: "x", code: undefined }, "https://app.test/login?error=x"],
  ["/login?a=1", { error: "x" }, "https://app.test/login?a=1&error=x"],
  ["/login?error=old#top", { error: "new" }, "https://app.test/login?error=new#top"],
  ["https://other.test/e", { error: "a b&c" }, "https://other.test/e?error=a+b%26c"],
])("pageUrl(%j, %j) is %s", (page, params, expected) => {
  expect(pageUrl(page, ORIGIN, params)).toBe(expected)
})
