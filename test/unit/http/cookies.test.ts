import {
  type CookieChange,
  type CookieSet,
  chunkNames,
  createCookieSet,
  dropChunked,
  parseCookies,
  parseCookiesFrom,
  putChunked,
  readChunked,
  toOutgoing,
  toSetCookies,
} from "../../../lib/http/cookies.js"
import { readValues } from "../../../lib/http/duplicate-cookies.js"
import { fc } from "../../support/properties.js"

const NAME = "authjs.session-token"
const expires = new Date("2030-01-02T03:04:05Z")
const set = createCookieSet(false)

describe("names and attributes", () => {
  const table = [
    ["sessionToken", "authjs.session-token", "__Secure-", undefined],
    ["callbackUrl", "authjs.callback-url", "__Secure-", undefined],
    ["csrfToken", "authjs.csrf-token", "__Host-", undefined],
    ["pkceCodeVerifier", "authjs.pkce.code_verifier", "__Host-", 900],
    ["state", "authjs.state", "__Host-", 900],
    ["nonce", "authjs.nonce", "__Host-", undefined],
    ["webauthnChallenge", "authjs.challenge", "__Host-", 900],
    // Ours alone.
    ["errorReference", "authjs.error-reference", "__Host-", 60],
    ["formValues", "authjs.form-values", "__Host-", 60],
    ["adopted", "authjs.adopted", "__Host-", undefined],
  ] as const

  it.each(table)("are the contract's for %s", (key, name, prefix, maxAge) => {
    const common = { httpOnly: true, sameSite: "lax", path: "/", ...(maxAge && { maxAge }) }
    expect(createCookieSet(false)[key]).toEqual({ name, options: { ...common, secure: false } })
    expect(createCookieSet(true)[key]).toEqual({ name: prefix + name, options: { ...common, secure: true } })
  })

  it.each([
    ["a domain", { options: { domain: "app.test" } }, "__Secure-authjs.state"],
    ["another path", { options: { path: "/auth" } }, "__Secure-authjs.state"],
    ["a name", { name: "flow", options: { domain: "app.test" } }, "flow"],
    ["the path that there would be", { options: { path: "/", domain: undefined } }, "__Host-authjs.state"],
  ])("SEC-08: are __Host- for our own cookies unless browsers would refuse that: with %s", (_, state, name) => {
    expect(createCookieSet(true, { cookies: { state } }).state.name).toBe(name)
  })

  it("are the application's where it says so, one by one", () => {
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

describe("chunks", () => {
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
  ])("of a value of %d characters are %j", (length, expected) => {
    expect(written(put("x".repeat(length)))).toEqual(expected)
  })

  it("are refused when they would not fit into a header", () => {
    expect(() => put("x".repeat(39_361))).toThrow(RangeError)
  })

  it("replace the plain cookie, and the other way round", () => {
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

  const lookAlikes = ["X", ".", ".x", ".0x", "-0", ".0.1", ".1234", "..1", ". 1"].map((tail) => NAME + tail)

  it("are told from a stranger's look-alikes", () => {
    const present = Object.fromEntries([...lookAlikes, NAME, `${NAME}.0`, `${NAME}.12`].map((name) => [name, "v"]))
    expect(chunkNames(present, NAME)).toEqual([NAME, `${NAME}.0`, `${NAME}.12`])
    const dropped = dropChunked("sessionToken", present, NAME)
    expect(toOutgoing(dropped, set).map(({ name }) => name)).toEqual([NAME, `${NAME}.0`, `${NAME}.12`])
  })

  it.each([
    ["nothing", {}, []],
    ["the plain one", { [NAME]: "a" }, ["a"]],
    ["a set", { [`${NAME}.1`]: "b", [`${NAME}.0`]: "a" }, ["ab"]],
    [
      "ten and more in their order",
      Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${NAME}.${i}`, String(i).padStart(2, "0")])),
      ["000102030405060708091011"],
    ],
    ["both", { [NAME]: "p", [`${NAME}.0`]: "a" }, ["p", "a"]],
    [
      "a set that a neighbour goes on with",
      { [`${NAME}.0`]: "aaa", [`${NAME}.1`]: "b", [`${NAME}.2`]: "junk" },
      ["aaab"],
    ],
    ["a set with a hole, to the hole", { [`${NAME}.0`]: "a", [`${NAME}.2`]: "c" }, ["a"]],
    ["a part without its first", { [`${NAME}.9`]: "junk" }, []],
    ["empty ones", { [NAME]: "", [`${NAME}.0`]: "" }, []],
  ])("are read as %s", (_name, cookies, expected) => {
    expect(readChunked(cookies, NAME)).toEqual(expected)
  })

  it("come back as they were, whatever was there before (property)", () => {
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

describe("headers", () => {
  it.each([
    [{ put: "csrfToken", value: "abc|def" }, "authjs.csrf-token=abc%7Cdef; Path=/; HttpOnly; SameSite=Lax"],
    [
      { put: "sessionToken", value: "t", expires },
      "authjs.session-token=t; Path=/; Expires=Wed, 02 Jan 2030 03:04:05 GMT; HttpOnly; SameSite=Lax",
    ],
    [{ put: "state", value: "s" }, "authjs.state=s; Max-Age=900; Path=/; HttpOnly; SameSite=Lax"],
    [{ drop: "state" }, "authjs.state=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"],
    [{ drop: "sessionToken", part: "1" }, "authjs.session-token.1=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"],
  ] as const)("of %j is the contract's", (change, expected) => {
    expect(toSetCookies([change], set)).toEqual([expected])
  })

  it("have Secure over https, and the form of the contract's example", () => {
    expect(toSetCookies([{ drop: "state" }], createCookieSet(true))).toEqual([
      "__Host-authjs.state=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
    ])
  })

  it("clear alike each time, in each set in its own way", () => {
    const clear = (set: CookieSet) => toSetCookies([{ drop: "sessionToken" }, { drop: "sessionToken", part: "0" }], set)
    const [plain, secure] = [set, createCookieSet(true)].map((some) => [clear(some), clear(some)])
    expect(plain?.[1]).toEqual(plain?.[0])
    expect(secure?.[1]).toEqual(secure?.[0])
    expect(plain?.[0]).toEqual(["", ".0"].map((part) => `${NAME}${part}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`))
    expect(secure?.[0]?.[0]).toBe(`__Secure-${NAME}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`)
  })

  it("hold the last of several changes to one cookie", () => {
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

  it("are read: the first of a name counts, what can't be decoded stays as it is", () => {
    expect({ ...parseCookies("a=1; a=2; b=%C3%A9; c=%; d=x=y; =z; e") }).toMatchObject({
      a: "1",
      b: "é",
      c: "%",
      d: "x=y",
    })
    expect(parseCookies(null)).toEqual({})
    expect(Reflect.get(parseCookies("__proto__=1"), "x")).toBeUndefined()
  })

  it("come back as they were (property)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const [header = ""] = toSetCookies([{ put: "callbackUrl", value }], set)
        expect(header).toMatch(/^[\x20-\x7e]*$/)
        expect(parseCookies(header.split(";")[0])["authjs.callback-url"]).toBe(value)
      }),
    )
  })

  it("are found among others as if all were parsed (property)", () => {
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

describe("cookies of one name", () => {
  /** The quickest of several times: of the others the machine's other work is a part. */
  function quickest(work: () => unknown): number {
    const times = Array.from({ length: 7 }, () => {
      const begin = performance.now()
      work()
      return performance.now() - begin
    })
    return Math.min(...times)
  }

  it.each<[string, (i: number) => string]>([
    ["others of one name", () => "a=1"],
    ["others of many names", (i) => `a${i}=1`],
    ["their own", (i) => `${NAME}=${i}`],
    ["chunks", (i) => `${NAME}.${i % 1000}=${i}`],
  ])("cost about what it takes to read the header, however full it is of %s", (_what, cookie) => {
    const all = [`${NAME}=x`, `${NAME}=y`, ...Array.from({ length: 4_000 }, (_, i) => cookie(i))]
    // As much as Node.js takes.
    const header = all.join(";").slice(0, 16_000)
    // What else the machine does comes and goes between two measurements.
    const excess = Array.from(
      { length: 5 },
      () => quickest(() => readValues(parseCookies(header), NAME, header)) - 11 * quickest(() => parseCookies(header)),
    )
    expect(Math.min(...excess)).toBeLessThan(5)
  })

  it("are read in the order of the header: four, and one that shows that there are more", () => {
    const header = ["a", "b", "c", "d", "e", "f"].map((value) => `${NAME}=${value}; other=${value}`).join("; ")
    expect(readValues(parseCookies(header), NAME, header)).toEqual(["a", "b", "c", "d", "e"])
  })
})
