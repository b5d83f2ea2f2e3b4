import { createRuntime } from "../../../lib/runtime.js"
import type { CookiesOptions } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { TEST_SECRET } from "../../support/apps.js"

const problemsOf = (cookies: Partial<Record<keyof CookiesOptions, object>>, over = {}, env = {}) =>
  // As a program without types would write it.
  createRuntime({ ...configOf({ secret: TEST_SECRET }), cookies: cookies as never, ...over }, env).problems.map(
    ({ path, message }) => `${path} ${message}`,
  )

const domain = { options: { domain: "app.test" } }
const path = { options: { path: "/auth" } }
const refused = (what: string, prefix: string) =>
  `has ${what} beside the name ${prefix}…, and browsers refuse such a cookie. Leave it out, or write another name`

describe("A cookie that browsers would refuse is told of", () => {
  it.each<[string, object, string, string]>([
    ["a domain, whose own name forbids it", { csrfToken: domain }, "a domain or a path", "__Host-"],
    ["a path, whose own name forbids it", { csrfToken: path }, "a domain or a path", "__Host-"],
    [
      "a domain beside a name in other letters",
      { csrfToken: { name: "__hOST-x", ...domain } },
      "a domain or a path",
      "__hOST-",
    ],
    [
      "no Secure beside a name that asks for it",
      { csrfToken: { name: "__Secure-x", options: { secure: false } } },
      "secure: false",
      "__Secure-",
    ],
  ])("with %s", (_, cookies, what, prefix) => {
    expect(problemsOf(cookies)).toEqual([`cookies.csrfToken.options ${refused(what, prefix)}`])
    expect(problemsOf(cookies, {}, { AUTH_URL: "https://app.test" })).toHaveLength(1)
  })

  it("with no Secure, whose own name asks for it, where the site is known to be on https", () => {
    const notSecure = { csrfToken: { options: { secure: false } } }
    const told = [`cookies.csrfToken.options ${refused("secure: false", "__Host-")}`]
    expect(problemsOf(notSecure, {}, { AUTH_URL: "https://app.test" })).toEqual(told)
    expect(problemsOf(notSecure, { useSecureCookies: true })).toEqual(told)
    expect(problemsOf(notSecure)).toEqual([])
  })

  it("with a name that asks for Secure where none is", () => {
    const named = { sessionToken: { name: "__Secure-sid" } }
    const told = [`cookies.sessionToken.options ${refused("secure: false", "__Secure-")}`]
    expect(problemsOf(named, { useSecureCookies: false })).toEqual(told)
    expect(problemsOf(named, {}, { AUTH_URL: "http://app.test" })).toEqual(told)
    expect(problemsOf(named)).toEqual([])
  })

  it.each([
    ["has a domain over http alone", { csrfToken: domain }, {}, { AUTH_URL: "http://app.test" }],
    ["has a domain and is never Secure", { csrfToken: domain }, { useSecureCookies: false }, {}],
    [
      "is not Secure over http alone",
      { sessionToken: { options: { secure: false } } },
      {},
      { AUTH_URL: "http://app.test" },
    ],
    ["has a domain and a name that allows it", { sessionToken: domain }, {}, {}],
    ["has a domain and is one of our own", { state: domain }, {}, {}],
    ["has a path and is one of our own", { webauthnChallenge: path }, {}, { AUTH_URL: "https://app.test" }],
    ["has a domain and a name without a prefix", { csrfToken: { name: "csrf", ...domain } }, {}, {}],
    ["has the path that there would be", { csrfToken: { options: { path: "/" } } }, {}, {}],
    ["only has a prefix within its name", { csrfToken: { name: "x__Host-", ...domain } }, {}, {}],
    ["says nothing", { csrfToken: { options: { domain: undefined, secure: undefined } } }, {}, {}],
    ["is none", { csrfToken: undefined as never }, {}, {}],
  ])("but not one that %s", (_, cookies, over, env) => {
    expect(problemsOf(cookies, over, env)).toEqual([])
  })
})

describe("A cookie that is written wrongly is told of as well", () => {
  it.each<[string, object, string]>([
    ["a name that is no text", { name: Symbol("x") }, "name is undefined. Write letters"],
    ["options that are none", { options: null }, "options can't be written"],
  ])("with %s", (_, sessionToken, told) => {
    expect(problemsOf({ sessionToken })).toEqual([expect.stringContaining(`cookies.sessionToken.${told}`)])
  })
})
