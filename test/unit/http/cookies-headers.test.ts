import type { CookieChange } from "../../../lib/base/types.js"
import {
  cookieName,
  createCookieSet,
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

describe("toSetCookies", () => {
  it.each<[string, CookieChange, string]>([
    ["maxAgeSeconds of the change", { put: "state", value: "s", maxAgeSeconds: 60 }, "Max-Age=60"],
    ["maxAgeSeconds of 0", { put: "state", value: "s", maxAgeSeconds: 0 }, "Max-Age=0"],
    ["the cookie's default Max-Age", { put: "state", value: "s" }, "Max-Age=900"],
    ["the default Max-Age of an error reference", { put: "errorReference", value: "s" }, "Max-Age=60"],
    ["the expires date of the change", { put: "nonce", value: "n", expires }, "Expires=Wed, 02 Jan 2030 03:04:05 GMT"],
    ["the browser session, for a cookie without a default", { put: "nonce", value: "n" }, ""],
    ["zero, for a cookie that is cleared", { drop: "nonce" }, "Max-Age=0"],
  ])("sets the lifetime to %s", (_name, change, attribute) => {
    const attributes = toSetCookies([change], set).map((header) => header.match(/(?:Max-Age|Expires)=[^;]*/g) ?? [])
    expect(attributes.flat().join()).toBe(attribute)
  })

  it("sets the same lifetime for a chunk as for a whole cookie", () => {
    expect(toSetCookies([{ put: "state", part: "abc", value: "s", expires }], set)).toEqual([
      "authjs.state.abc=s; Max-Age=900; Path=/; Expires=Wed, 02 Jan 2030 03:04:05 GMT; HttpOnly; SameSite=Lax",
    ])
  })
})

describe("createCookieSet with the application's attributes", () => {
  it("uses the attributes when it sets the cookie and when it clears it", () => {
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

  it("uses the application's encode function for that cookie only", () => {
    const own = createCookieSet(false, {
      cookies: { csrfToken: { options: { encode: (value) => value.toUpperCase() } } },
    })
    expect(toSetCookies([{ put: "csrfToken", value: "a|b" }], own)[0]).toMatch(/^authjs\.csrf-token=A\|B;/)
    expect(toSetCookies([{ put: "callbackUrl", value: "a|b" }], own)[0]).toMatch(/^authjs\.callback-url=a%7Cb;/)
  })

  it("freezes the cookie set and its options", () => {
    expect(Object.isFrozen(set)).toBe(true)
    for (const cookie of Object.values(set)) {
      expect(Object.isFrozen(cookie)).toBe(true)
      expect(Object.isFrozen(cookie.options)).toBe(true)
    }
  })
})

describe("toOutgoing and toSetCookies", () => {
  it("order the cookies by the last change to each", () => {
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

  it("keep only the last of two changes to one cookie", () => {
    const changes: CookieChange[] = [{ put: "state", value: "1" }, { drop: "state" }]
    expect([toOutgoing(changes, set).length, toSetCookies(changes, set).length]).toEqual([1, 1])
  })

  it("return nothing for no changes", () => {
    expect([toOutgoing([], set), toSetCookies([], set)]).toEqual([[], []])
  })

  it("cookieName appends the name of a part after a dot", () => {
    expect([cookieName(set, "state"), cookieName(set, "state", ""), cookieName(set, "state", "x")]).toEqual([
      "authjs.state",
      "authjs.state.",
      "authjs.state.x",
    ])
  })
})

describe("parseCookiesFrom and parseCookies", () => {
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
  ])("read the session cookie from the header %j: %j", (header, value) => {
    expect(parseCookiesFrom(NAME, header)[NAME]).toBe(value)
    expect(parseCookies(header)[NAME]).toBe(value)
  })

  it("parseCookiesFrom returns the cookies from the first match on, and none that precede it", () => {
    expect({ ...parseCookiesFrom(NAME, `a=1; ${NAME}.0=t; b=2`) }).toEqual({ [`${NAME}.0`]: "t", b: "2" })
    for (const header of ["a=", "a=1;=", "=", "a=1; b==x="]) expect({ ...parseCookiesFrom(NAME, header) }).toEqual({})
  })
})

describe("putChunked and readChunked", () => {
  const put = (value: string, present = {}) =>
    putChunked("sessionToken", { value, expires, present, cookie: set.sessionToken })

  it("putChunked reports the length of a value that is too long", () => {
    expect(() => put("x".repeat(39_361))).toThrow(RangeError)
    expect(() => put("x".repeat(39_361))).toThrow(new RangeError("39361 characters are more than cookies can hold"))
    expect(() => put("中".repeat(9_000))).toThrow(new RangeError("9000 characters are more than cookies can hold"))
  })

  it("putChunked gives all chunks the same expiry", () => {
    expect(put("x".repeat(3_937))).toEqual([
      { put: "sessionToken", part: "0", value: "x".repeat(3_936), expires },
      { put: "sessionToken", part: "1", value: "x", expires },
    ])
    expect(put("")).toEqual([{ put: "sessionToken", value: "", expires }])
  })

  it("putChunked clears every old chunk that it does not overwrite", () => {
    const old = { [NAME]: "a", [`${NAME}.0`]: "b", [`${NAME}.1`]: "c", [`${NAME}.2`]: "d" }
    const cleared = (value: string) =>
      toSetCookies(put(value, old), set)
        .filter((header) => header.includes("Max-Age=0"))
        .map((header) => header.split("=")[0])
    expect(cleared("x")).toEqual(["0", "1", "2"].map((part) => `${NAME}.${part}`))
    expect(cleared("x".repeat(4_000))).toEqual([NAME, `${NAME}.2`])
  })

  it("readChunked stops after the first chunk that is shorter than the first one", () => {
    const parts = (...values: string[]) => Object.fromEntries(values.map((value, i) => [`${NAME}.${i}`, value]))
    expect(readChunked(parts("aaa", "bbb", "c", "ddd"), NAME)).toEqual(["aaabbbc"])
    expect(readChunked(parts("aaa", "bbb", "ccc"), NAME)).toEqual(["aaabbbccc"])
    // A chunk that is longer than the first one is not ours, and decryption fails.
    expect(readChunked(parts("aaa", "bbbb"), NAME)).toEqual(["aaabbbb"])
  })
})
