import type { CookieChange } from "../../../lib/base/types.js"
import {
  type CookieSet,
  chunkNames,
  createCookieSet,
  dropChunked,
  parseCookies,
  parseCookiesFrom,
  parseSessionCookies,
  putChunked,
  readChunked,
  toOutgoing,
  toSetCookies,
  totalSentLength,
} from "../../../lib/http/cookies.js"
import { readValues } from "../../../lib/http/duplicate-cookies.js"
import { fc } from "../../support/properties.js"
import { shortestDuration } from "../../support/shortest-duration.js"

const NAME = "authjs.session-token"
const expires = new Date("2030-01-02T03:04:05Z")
const set = createCookieSet(false)

describe("createCookieSet", () => {
  const table = [
    ["sessionToken", "authjs.session-token", "__Secure-", undefined],
    ["callbackUrl", "authjs.callback-url", "__Secure-", undefined],
    ["csrfToken", "authjs.csrf-token", "__Host-", undefined],
    ["pkceCodeVerifier", "authjs.pkce.code_verifier", "__Host-", 900],
    ["state", "authjs.state", "__Host-", 900],
    ["nonce", "authjs.nonce", "__Host-", undefined],
    ["webauthnChallenge", "authjs.challenge", "__Host-", 900],
    // Not in Auth.js.
    ["errorReference", "authjs.error-reference", "__Host-", 60],
    ["formValues", "authjs.form-values", "__Host-", 60],
    ["pendingSignIn", "authjs.pending-sign-in", "__Host-", undefined],
    ["lastUsed", "authjs.last-used", "__Host-", 365 * 86_400],
    ["migrated", "authjs.migrated", "__Host-", undefined],
  ] as const

  it.each(table)("names %s as Auth.js does, with the same attributes", (key, name, prefix, maxAge) => {
    const common = { httpOnly: true, sameSite: "lax", path: "/", ...(maxAge && { maxAge }) }
    expect(createCookieSet(false)[key]).toEqual({ name, options: { ...common, secure: false } })
    expect(createCookieSet(true)[key]).toEqual({ name: prefix + name, options: { ...common, secure: true } })
  })

  it.each([
    ["a domain", { options: { domain: "app.test" } }, "__Secure-authjs.state"],
    ["another path", { options: { path: "/auth" } }, "__Secure-authjs.state"],
    ["a name", { name: "flow", options: { domain: "app.test" } }, "flow"],
    ["the default path", { options: { path: "/", domain: undefined } }, "__Host-authjs.state"],
  ])("SEC-08: uses __Host- for internal cookies unless the attributes forbid it: with %s", (_, state, name) => {
    expect(createCookieSet(true, { cookies: { state } }).state.name).toBe(name)
  })

  it("overrides names and attributes one by one", () => {
    const own = createCookieSet(true, {
      cookies: {
        sessionToken: { name: "sid" },
        state: { options: { sameSite: "none", maxAge: 60, domain: undefined } },
      },
    })
    expect(own.sessionToken).toMatchObject({ name: "sid", options: { secure: true, httpOnly: true } })
    expect(own.state).toEqual({
      name: "__Host-authjs.state",
      options: { httpOnly: true, sameSite: "none", path: "/", secure: true, maxAge: 60 },
    })
  })
})

describe("createCookieSet with hostPrefix", () => {
  it.each([
    [undefined, "__Secure-authjs.session-token", "__Host-authjs.session-token"],
    ["sid", "sid", "__Host-sid"],
    ["__Secure-sid", "__Secure-sid", "__Host-sid"],
    ["__host-sid", "__host-sid", "__Host-sid"],
    ["my__Secure-sid", "my__Secure-sid", "__Host-my__Secure-sid"],
  ])(
    "SEC-08: renames the session cookie with the configured name %j from %s to %s on https",
    (name, former, current) => {
      const cookies = { sessionToken: { ...(name && { name }), options: { sameSite: "strict" } } } as const
      const options = { httpOnly: true, sameSite: "strict", path: "/", secure: true }
      const own = createCookieSet(true, { cookies, hostPrefix: true })
      expect([own.sessionToken, own.formerSessionToken]).toEqual([
        { name: current, options },
        { name: former, options },
      ])
    },
  )

  it.each([
    ["over http", createCookieSet(false, { hostPrefix: true }), NAME],
    ["without the option", createCookieSet(true), `__Secure-${NAME}`],
  ])("does not change the name %s", (_when, { sessionToken, formerSessionToken }, name) => {
    expect([sessionToken.name, formerSessionToken.name]).toEqual([name, name])
  })
})

describe("parseSessionCookies", () => {
  const renamed = createCookieSet(true, { hostPrefix: true })

  it.each([
    [`__Host-${NAME}=new`, { [`__Host-${NAME}`]: "new" }],
    [`__Secure-${NAME}=old`, { [`__Secure-${NAME}`]: "old" }],
    [`__Secure-${NAME}=old; __Host-${NAME}=new`, { [`__Secure-${NAME}`]: "old", [`__Host-${NAME}`]: "new" }],
    [`__Host-${NAME}=new; __Secure-${NAME}=old`, { [`__Secure-${NAME}`]: "old", [`__Host-${NAME}`]: "new" }],
    ["", {}],
    [null, {}],
    [undefined, {}],
  ])("reads the current and the former name from %j", (header, expected) => {
    expect({ ...parseSessionCookies(renamed, header) }).toEqual(expected)
  })

  it.each([
    ["one name", set, `a=1; ${NAME}=t; b=2`, NAME],
    ["no cookie of the former name", renamed, `a=1; __Host-${NAME}=t; b=2`, `__Host-${NAME}`],
  ])("skips the cookies before the session's cookie if there is %s", (_what, cookieSet, header, name) => {
    expect({ ...parseSessionCookies(cookieSet, header) }).toEqual({ [name]: "t", b: "2" })
  })
})

it("totalSentLength is the length that the set cookies add to a Cookie header", () => {
  const state: CookieChange = { put: "state", part: "a", value: "x y" }
  const nonce: CookieChange = { put: "nonce", value: "n" }
  expect(totalSentLength([state], set)).toBe("authjs.state.a=x%20y; ".length)
  expect(totalSentLength([state, { drop: "csrfToken" }, nonce], set)).toBe(
    "authjs.state.a=x%20y; authjs.nonce=n; ".length,
  )
  expect(totalSentLength([], set)).toBe(0)
})

describe("putChunked, readChunked and dropChunked", () => {
  const put = (value: string, present: Record<string, string> = {}) =>
    putChunked("sessionToken", { value, expires, present, cookie: set.sessionToken })
  const written = (changes: readonly CookieChange[]) =>
    toOutgoing(changes, set).map(({ name, value, options }) => [name, options.maxAge === 0 ? "dropped" : value.length])

  it.each([
    [1, [[NAME, 1]]],
    [3936, [[NAME, 3936]]],
    [
      3937,
      [
        [`${NAME}.0`, 3936],
        [`${NAME}.1`, 1],
      ],
    ],
    [
      7049,
      [
        [`${NAME}.0`, 3936],
        [`${NAME}.1`, 3113],
      ],
    ],
    [
      11808,
      [
        [`${NAME}.0`, 3936],
        [`${NAME}.1`, 3936],
        [`${NAME}.2`, 3936],
      ],
    ],
  ])("split a value of %d characters into %j", (length, expected) => {
    expect(written(put("x".repeat(length)))).toEqual(expected)
  })

  it("replace a whole cookie by chunks, and chunks by a whole cookie", () => {
    expect(written(put("x".repeat(4000), { [NAME]: "a" }))).toEqual([
      [NAME, "dropped"],
      [`${NAME}.0`, 3936],
      [`${NAME}.1`, 64],
    ])
    expect(written(put("x", { [`${NAME}.0`]: "a", [`${NAME}.1`]: "b", [`${NAME}.2`]: "c" }))).toEqual([
      [`${NAME}.0`, "dropped"],
      [`${NAME}.1`, "dropped"],
      [`${NAME}.2`, "dropped"],
      [NAME, 1],
    ])
    expect(written(put("x".repeat(4000), { [`${NAME}.0`]: "a", [`${NAME}.1`]: "b", [`${NAME}.2`]: "c" }))).toEqual([
      [`${NAME}.2`, "dropped"],
      [`${NAME}.0`, 3936],
      [`${NAME}.1`, 64],
    ])
  })

  it("fill cookies with long attributes up to the limit of browsers, and not beyond it", () => {
    const options = { path: `/${"p".repeat(500)}`, domain: "app.test", sameSite: "none", partitioned: true } as const
    const long = createCookieSet(true, { cookies: { sessionToken: { options } } })
    const changes = putChunked("sessionToken", {
      value: "x".repeat(9_000),
      expires,
      present: {},
      cookie: long.sessionToken,
    })
    const longest = Math.max(...toSetCookies(changes, long).map((header) => header.length))
    expect(longest).toBeLessThanOrEqual(4_096)
    expect(longest).toBeGreaterThan(4_090)
  })

  const lookAlikes = ["X", ".", ".x", ".0x", "-0", ".0.1", ".1234", "..1", ". 1"].map((tail) => NAME + tail)

  it("chunkNames and dropChunked ignore other cookies with similar names", () => {
    const present = Object.fromEntries([...lookAlikes, NAME, `${NAME}.0`, `${NAME}.12`].map((name) => [name, "v"]))
    expect(chunkNames(present, NAME)).toEqual([NAME, `${NAME}.0`, `${NAME}.12`])
    const dropped = dropChunked("sessionToken", present, NAME)
    expect(toOutgoing(dropped, set).map(({ name }) => name)).toEqual([NAME, `${NAME}.0`, `${NAME}.12`])
  })

  it.each([
    ["no value", {}, []],
    ["a whole cookie", { [NAME]: "a" }, ["a"]],
    ["chunks", { [`${NAME}.1`]: "b", [`${NAME}.0`]: "a" }, ["ab"]],
    [
      "more than ten chunks in numeric order",
      Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${NAME}.${i}`, String(i).padStart(2, "0")])),
      ["000102030405060708091011"],
    ],
    ["a whole cookie and chunks", { [NAME]: "p", [`${NAME}.0`]: "a" }, ["p", "a"]],
    ["chunks followed by a foreign one", { [`${NAME}.0`]: "aaa", [`${NAME}.1`]: "b", [`${NAME}.2`]: "junk" }, ["aaab"]],
    ["chunks up to the first gap", { [`${NAME}.0`]: "a", [`${NAME}.2`]: "c" }, ["a"]],
    ["a chunk without the first one", { [`${NAME}.9`]: "junk" }, []],
    ["empty cookies", { [NAME]: "", [`${NAME}.0`]: "" }, []],
  ])("readChunked reads %s", (_name, cookies, expected) => {
    expect(readChunked(cookies, NAME)).toEqual(expected)
  })

  it("store and clear a value, regardless of the value that was stored before (property)", () => {
    const value = fc.string({ unit: fc.constantFrom(..."abcXYZ019-_."), minLength: 1, maxLength: 11_000 })
    const before = fc.string({ unit: fc.constantFrom("a"), minLength: 1, maxLength: 11_000 })
    fc.assert(
      fc.property(value, before, (text, old) => {
        const jar = new Map<string, string>()
        const apply = (changes: readonly CookieChange[]) => {
          for (const { name, value: v, options } of toOutgoing(changes, set))
            if (options.maxAge === 0) jar.delete(name)
            else jar.set(name, v)
        }
        apply(put(old))
        apply(put(text, Object.fromEntries(jar)))
        expect(readChunked(Object.fromEntries(jar), NAME)).toEqual([text])
        apply(dropChunked("sessionToken", Object.fromEntries(jar), NAME))
        expect(jar.size).toBe(0)
      }),
    )
  })
})

describe("toSetCookies and parseCookies", () => {
  it.each([
    [{ put: "csrfToken", value: "abc|def" }, "authjs.csrf-token=abc%7Cdef; Path=/; HttpOnly; SameSite=Lax"],
    [
      { put: "sessionToken", value: "t", expires },
      "authjs.session-token=t; Path=/; Expires=Wed, 02 Jan 2030 03:04:05 GMT; HttpOnly; SameSite=Lax",
    ],
    [{ put: "state", value: "s" }, "authjs.state=s; Max-Age=900; Path=/; HttpOnly; SameSite=Lax"],
    [{ drop: "state" }, "authjs.state=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"],
    [{ drop: "sessionToken", part: "1" }, "authjs.session-token.1=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"],
  ] as const)("toSetCookies writes %j as Auth.js does", (change, expected) => {
    expect(toSetCookies([change], set)).toEqual([expected])
  })

  it("toSetCookies adds Secure over https", () => {
    expect(toSetCookies([{ drop: "state" }], createCookieSet(true))).toEqual([
      "__Host-authjs.state=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
    ])
  })

  it("toSetCookies clears a cookie the same way each time, with the attributes of its set", () => {
    const clear = (set: CookieSet) => toSetCookies([{ drop: "sessionToken" }, { drop: "sessionToken", part: "0" }], set)
    const [plain, secure] = [set, createCookieSet(true)].map((some) => [clear(some), clear(some)])
    expect(plain?.[1]).toEqual(plain?.[0])
    expect(secure?.[1]).toEqual(secure?.[0])
    expect(plain?.[0]).toEqual(["", ".0"].map((part) => `${NAME}${part}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`))
    expect(secure?.[0]?.[0]).toBe(`__Secure-${NAME}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`)
  })

  it("toOutgoing keeps the last of several changes to one cookie", () => {
    const changes: CookieChange[] = [
      { put: "state", value: "1" },
      { drop: "nonce" },
      { drop: "state" },
      { put: "nonce", value: "2" },
    ]
    expect(toOutgoing(changes, set).map(({ name, value }) => [name, value])).toEqual([
      ["authjs.state", ""],
      ["authjs.nonce", "2"],
    ])
  })

  it("parseCookies keeps the first cookie of a name, and does not decode an invalid escape sequence", () => {
    expect({ ...parseCookies("a=1; a=2; b=%C3%A9; c=%; d=x=y; =z; e") }).toMatchObject({
      a: "1",
      b: "é",
      c: "%",
      d: "x=y",
    })
    expect(parseCookies(null)).toEqual({})
    expect(Reflect.get(parseCookies("__proto__=1"), "x")).toBeUndefined()
  })

  it("parseCookies reads any value that toSetCookies writes (property)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const [header = ""] = toSetCookies([{ put: "callbackUrl", value }], set)
        expect(header).toMatch(/^[\x20-\x7e]*$/)
        expect(parseCookies(header.split(";")[0])["authjs.callback-url"]).toBe(value)
      }),
    )
  })

  it("parseCookiesFrom finds the same chunks as parseCookies (property)", () => {
    const part = fc.constantFrom(
      NAME,
      `${NAME}.0`,
      `${NAME}.1`,
      `x${NAME}`,
      `__Secure-${NAME}`,
      "a",
      "=",
      ";",
      "; ",
      " ;\t",
    )
    const header = fc
      .array(fc.oneof(part, fc.string({ maxLength: 3 })), { maxLength: 20 })
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(header, (text) => {
        const all = parseCookies(text)
        const names = chunkNames(all, NAME)
        const found = parseCookiesFrom(NAME, text)
        expect(chunkNames(found, NAME)).toEqual(names)
        for (const name of names) expect(found[name]).toBe(all[name])
        expect(readChunked(found, NAME)).toEqual(readChunked(all, NAME))
      }),
    )
  })
})

describe("readValues with duplicate cookies", () => {
  it.each<[string, (i: number) => string]>([
    ["other cookies of one name", () => "a=1"],
    ["other cookies of many names", (i) => `a${i}=1`],
    ["session cookies", (i) => `${NAME}=${i}`],
    ["session cookie chunks", (i) => `${NAME}.${i % 1000}=${i}`],
  ])("takes time proportional to parsing a header that is full of %s", async (_what, cookie) => {
    const all = [`${NAME}=x`, `${NAME}=y`, ...Array.from({ length: 4_000 }, (_, i) => cookie(i))]
    // Node.js accepts headers up to this size.
    const header = all.join(";").slice(0, 16_000)
    const parsing = await shortestDuration(() => parseCookies(header), 35)
    const reading = await shortestDuration(() => readValues(parseCookies(header), NAME, header), 35)
    expect(reading).toBeLessThan(11 * parsing + 5)
  })

  it("returns the first five values of a name in the order of the header", () => {
    const header = ["a", "b", "c", "d", "e", "f"].map((value) => `${NAME}=${value}; other=${value}`).join("; ")
    expect(readValues(parseCookies(header), NAME, header)).toEqual(["a", "b", "c", "d", "e"])
  })
})
