import { describeProblem } from "../../../lib/errors/errors.js"
import { createRuntime } from "../../../lib/runtime/runtime.js"
import type { CookiesOptions } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { TEST_SECRET } from "../../support/apps.js"

const problemsOf = (cookies: Partial<Record<keyof CookiesOptions, object>>, over = {}, env = {}) =>
  // The types forbid some of these values, but JavaScript allows them.
  createRuntime({ ...configOf({ secret: TEST_SECRET }), cookies: cookies as never, ...over }, env).problems.map(
    describeProblem,
  )

const domain = { options: { domain: "app.test" } }
const path = { options: { path: "/auth" } }
const refusedBecause = (what: string, prefix: string) =>
  `has ${what}, which the name prefix ${prefix} forbids: browsers reject such a cookie. Remove it, or choose another name`

describe("createRuntime with cookies that browsers refuse", () => {
  it.each<[string, object, string, string]>([
    ["a domain and the default prefix __Host-", { csrfToken: domain }, "a domain or a path other than /", "__Host-"],
    ["a path and the default prefix __Host-", { csrfToken: path }, "a domain or a path other than /", "__Host-"],
    [
      "a domain and a prefix in other letter case",
      { csrfToken: { name: "__hOST-x", ...domain } },
      "a domain or a path other than /",
      "__hOST-",
    ],
    [
      "secure: false and a prefix that requires Secure",
      { csrfToken: { name: "__Secure-x", options: { secure: false } } },
      "secure: false",
      "__Secure-",
    ],
  ])("reports %s", (_, cookies, what, prefix) => {
    expect(problemsOf(cookies)).toEqual([`cookies.csrfToken.options ${refusedBecause(what, prefix)}`])
    expect(problemsOf(cookies, {}, { AUTH_URL: "https://app.test" })).toHaveLength(1)
  })

  it("reports secure: false and the default prefix if the site uses https", () => {
    const notSecure = { csrfToken: { options: { secure: false } } }
    const expected = [`cookies.csrfToken.options ${refusedBecause("secure: false", "__Host-")}`]
    expect(problemsOf(notSecure, {}, { AUTH_URL: "https://app.test" })).toEqual(expected)
    expect(problemsOf(notSecure, { useSecureCookies: true })).toEqual(expected)
    expect(problemsOf(notSecure)).toEqual([])
  })

  it("reports a __Secure- name if the site uses http", () => {
    const named = { sessionToken: { name: "__Secure-sid" } }
    const expected = [`cookies.sessionToken.options ${refusedBecause("secure: false", "__Secure-")}`]
    expect(problemsOf(named, { useSecureCookies: false })).toEqual(expected)
    expect(problemsOf(named, {}, { AUTH_URL: "http://app.test" })).toEqual(expected)
    expect(problemsOf(named)).toEqual([])
  })

  it.each([
    ["has a domain and the site uses http", { csrfToken: domain }, {}, { AUTH_URL: "http://app.test" }],
    ["has a domain and useSecureCookies is false", { csrfToken: domain }, { useSecureCookies: false }, {}],
    [
      "has secure: false and the site uses http",
      { sessionToken: { options: { secure: false } } },
      {},
      { AUTH_URL: "http://app.test" },
    ],
    ["has a domain and the prefix __Secure-", { sessionToken: domain }, {}, {}],
    ["has a domain and is internal (state)", { state: domain }, {}, {}],
    [
      "has a path and is internal (webauthnChallenge)",
      { webauthnChallenge: path },
      {},
      { AUTH_URL: "https://app.test" },
    ],
    ["has a domain and a name without a prefix", { csrfToken: { name: "csrf", ...domain } }, {}, {}],
    ["has the default path", { csrfToken: { options: { path: "/" } } }, {}, {}],
    ["has __Host- inside its name", { csrfToken: { name: "x__Host-", ...domain } }, {}, {}],
    ["has undefined attributes", { csrfToken: { options: { domain: undefined, secure: undefined } } }, {}, {}],
    ["is undefined", { csrfToken: undefined as never }, {}, {}],
  ])("accepts a cookie that %s", (_, cookies, over, env) => {
    expect(problemsOf(cookies, over, env)).toEqual([])
  })
})

describe("createRuntime with a session cookie that ends when the browser is closed", () => {
  const lasting = { sessionToken: { options: { maxAge: 3_600, expires: new Date("2030-01-31") } } }

  it.each([false, "ask"])("reports a lifetime among its attributes: session.remember %j", (remember) => {
    const reason = `is set, so browsers keep the cookie when they are closed, but session.remember is ${remember}. Remove it`
    expect(problemsOf(lasting, { session: { remember } })).toEqual([
      `cookies.sessionToken.options.maxAge ${reason}`,
      `cookies.sessionToken.options.expires ${reason}`,
    ])
  })

  it("accepts a lifetime if the cookie is persistent", () => {
    expect(problemsOf(lasting)).toEqual([])
  })
})

describe("createRuntime with cookie options of the wrong type", () => {
  it.each<[string, object, string]>([
    ["a name that is not a string", { name: Symbol("x") }, "name is undefined. Write letters"],
    ["options that are null", { options: null }, "options can't be serialised"],
  ])("reports %s", (_, sessionToken, expected) => {
    expect(problemsOf({ sessionToken })).toEqual([expect.stringContaining(`cookies.sessionToken.${expected}`)])
  })
})
