import {
  type CookieChange,
  createCookieSet,
  nameOf,
  parseCookies,
  parseCookiesFrom,
  putChunked,
  readChunked,
  toOutgoing,
  toSetCookies,
} from "../../../lib/http/cookies.js"

const NAME = "authjs.session-token"
const expires = new Date("2030-01-02T03:04:05Z")
const set = createCookieSet(false)

describe("how long a cookie lasts", () => {
  it.each<[string, CookieChange, string]>([
    ["as long as it is said to", { put: "state", value: "s", maxAgeSeconds: 60 }, "Max-Age=60"],
    ["no longer, when that is nothing", { put: "state", value: "s", maxAgeSeconds: 0 }, "Max-Age=0"],
    ["as long as usual where nothing is said", { put: "state", value: "s" }, "Max-Age=900"],
    ["a minute, that of an error's reference", { put: "errorReference", value: "s" }, "Max-Age=60"],
    ["until a time", { put: "nonce", value: "n", expires }, "Expires=Wed, 02 Jan 2030 03:04:05 GMT"],
    ["until the browser is closed, where it has no usual life", { put: "nonce", value: "n" }, ""],
    ["not at all, when it is cleared", { drop: "nonce" }, "Max-Age=0"],
  ])("is %s", (_name, change, life) => {
    const lives = toSetCookies([change], set).map((header) => header.match(/(?:Max-Age|Expires)=[^;]*/g) ?? [])
    expect(lives.flat().join()).toBe(life)
  })

  it("is said of a part as of the whole", () => {
    expect(toSetCookies([{ put: "state", part: "abc", value: "s", expires }], set)).toEqual([
      "authjs.state.abc=s; Max-Age=900; Path=/; Expires=Wed, 02 Jan 2030 03:04:05 GMT; HttpOnly; SameSite=Lax",
    ])
  })
})

describe("an application's own attributes", () => {
  it("hold for the cookie when it is set and when it is cleared, or no browser would clear it", () => {
    const own = createCookieSet(true, {
      cookies: {
        sessionToken: {
          name: "sid",
          options: { domain: "app.test", path: "/app", sameSite: "strict", partitioned: true },
        },
      },
    })
    const attributes = "Domain=app.test; Path=/app; HttpOnly; Secure; Partitioned; SameSite=Strict"
    for (const _time of ["first", "second"])
      expect(toSetCookies([{ drop: "sessionToken" }], own)).toEqual([`sid=; Max-Age=0; ${attributes}`])
    expect(toSetCookies([{ put: "sessionToken", value: "t" }], own)).toEqual([`sid=t; ${attributes}`])
  })

  it("may say how values are written", () => {
    const own = createCookieSet(false, {
      cookies: { csrfToken: { options: { encode: (value) => value.toUpperCase() } } },
    })
    expect(toSetCookies([{ put: "csrfToken", value: "a|b" }], own)[0]).toMatch(/^authjs\.csrf-token=A\|B;/)
    expect(toSetCookies([{ put: "callbackUrl", value: "a|b" }], own)[0]).toMatch(/^authjs\.callback-url=a%7Cb;/)
  })

  it("are kept as they were at the start: nobody changes them while requests are served", () => {
    expect(Object.isFrozen(set)).toBe(true)
    for (const cookie of Object.values(set)) {
      expect(Object.isFrozen(cookie)).toBe(true)
      expect(Object.isFrozen(cookie.options)).toBe(true)
    }
  })
})

describe("the changes of one answer", () => {
  it("are written in the order of the last one to each cookie", () => {
    const changes: CookieChange[] = [
      { put: "state", value: "1", part: "a" },
      { put: "state", value: "2", part: "b" },
      { drop: "state", part: "a" },
      { put: "nonce", value: "3" },
    ]
    const expected = [
      ["authjs.state.b", "2"],
      ["authjs.state.a", ""],
      ["authjs.nonce", "3"],
    ]
    expect(toOutgoing(changes, set).map(({ name, value }) => [name, value])).toEqual(expected)
    expect(toSetCookies(changes, set).map((header) => header.split(";")[0]?.split("="))).toEqual(expected)
  })

  it("are one where two are of one cookie", () => {
    const changes: CookieChange[] = [{ put: "state", value: "1" }, { drop: "state" }]
    expect([toOutgoing(changes, set).length, toSetCookies(changes, set).length]).toEqual([1, 1])
  })

  it("may be none", () => {
    expect([toOutgoing([], set), toSetCookies([], set)]).toEqual([[], []])
  })

  it("name a cookie and its parts", () => {
    expect([nameOf(set, "state"), nameOf(set, "state", ""), nameOf(set, "state", "x")]).toEqual([
      "authjs.state",
      "authjs.state.",
      "authjs.state.x",
    ])
  })
})

describe("one cookie among those of a header", () => {
  it.each([
    ["", undefined],
    [null, undefined],
    [undefined, undefined],
    ["a=1", undefined],
    [`${NAME}=t`, "t"],
    [`  ${NAME}=t`, "t"],
    [`\t ${NAME}=t`, "t"],
    [`a=1;${NAME}=t`, "t"],
    [`a=1; \t ${NAME}=t`, "t"],
    [`a=1; b=2; ${NAME}=t; c=3`, "t"],
    [`x${NAME}=no; ${NAME}=t`, "t"],
    [`a=${NAME}; ${NAME}=t`, "t"],
    [`a=${NAME}=no; ${NAME}=t`, "t"],
    [`a ${NAME}=no; ${NAME}=t`, "t"],
    [`a=1 ${NAME}=no`, undefined],
    [`__Secure-${NAME}=no`, undefined],
    [`${NAME}=t; ${NAME}=second`, "t"],
    [`a=1; b=${NAME}`, undefined],
  ])("of %j is %j", (header, value) => {
    expect(parseCookiesFrom(NAME, header)[NAME]).toBe(value)
    expect(parseCookies(header)[NAME]).toBe(value)
  })

  it("is looked for in what follows, and nothing before it is", () => {
    expect({ ...parseCookiesFrom(NAME, `a=1; ${NAME}.0=t; b=2`) }).toEqual({ [`${NAME}.0`]: "t", b: "2" })
    for (const header of ["a=", "a=1;=", "=", "a=1; b==x="]) expect({ ...parseCookiesFrom(NAME, header) }).toEqual({})
  })
})

describe("a value in parts", () => {
  const put = (value: string, present = {}) =>
    putChunked("sessionToken", { value, expires, present, cookie: set.sessionToken })

  it("says how much too long it is", () => {
    expect(() => put("x".repeat(39_361))).toThrow(new RangeError("39361 characters are more than cookies can hold"))
    expect(() => put("中".repeat(9_000))).toThrow(new RangeError("9000 characters are more than cookies can hold"))
  })

  it("ends everywhere at the same time", () => {
    expect(put("x".repeat(3_937))).toEqual([
      { put: "sessionToken", part: "0", value: "x".repeat(3_936), expires },
      { put: "sessionToken", part: "1", value: "x", expires },
    ])
    expect(put("")).toEqual([{ put: "sessionToken", value: "", expires }])
  })

  it("leaves no old part behind, and clears none that it writes", () => {
    const old = { [NAME]: "a", [`${NAME}.0`]: "b", [`${NAME}.1`]: "c", [`${NAME}.2`]: "d" }
    const cleared = (value: string) =>
      toSetCookies(put(value, old), set)
        .filter((header) => header.includes("Max-Age=0"))
        .map((header) => header.split("=")[0])
    expect(cleared("x")).toEqual(["0", "1", "2"].map((part) => `${NAME}.${part}`))
    expect(cleared("x".repeat(4_000))).toEqual([NAME, `${NAME}.2`])
  })

  it("is read to its last part, which alone may be short", () => {
    const parts = (...values: string[]) => Object.fromEntries(values.map((value, i) => [`${NAME}.${i}`, value]))
    expect(readChunked(parts("aaa", "bbb", "c", "ddd"), NAME)).toEqual(["aaabbbc"])
    expect(readChunked(parts("aaa", "bbb", "ccc"), NAME)).toEqual(["aaabbbccc"])
    // What is longer than the first is not ours, and the seal does not open with it.
    expect(readChunked(parts("aaa", "bbbb"), NAME)).toEqual(["aaabbbb"])
  })
})
