import { clockFinding } from "../../../../lib/cli/doctor/check.js"
import { type RecordedResponse, secondsAhead } from "../../../../lib/cli/doctor/responses.js"
import { checkSetCookies } from "../../../../lib/cli/doctor/set-cookie.js"
import { checkCaches, checkForwarded, checkHttps, checkOrigin } from "../../../../lib/cli/doctor/site-checks.js"

const BASE = "https://example.com/auth"

const answer = (headers: Record<string, string> = {}, body: unknown = null, status = 200): RecordedResponse => ({
  url: BASE,
  status,
  headers: new Headers(headers),
  text: JSON.stringify(body),
  sentAtMs: 0,
  receivedAtMs: 0,
})

const linkingTo = (origin: string) => answer({}, { github: { signinUrl: `${origin}/auth/signin/github` } })

const codesOf = (findings: readonly { code: string; level: string }[]) =>
  findings.map(({ code, level }) => `${level} ${code}`)

describe("checkOrigin and checkForwarded", () => {
  it.each([
    ["https://example.com", "ok wrong-origin"],
    ["http://example.com", "error untrusted-proxy"],
    ["http://127.0.0.1:3000", "error wrong-origin"],
  ])("checkOrigin with links to %s reports %s", (origin, expected) =>
    expect(codesOf(checkOrigin({ base: BASE, providers: linkingTo(origin) }))).toEqual([expected]),
  )

  it("checkOrigin reports http-served with the https address if the links of an http address are https", () => {
    const site = { base: "http://example.com/auth", providers: linkingTo("https://example.com") }
    expect(checkOrigin(site)).toMatchObject([
      {
        level: "warning",
        code: "http-served",
        seen: "requested http://example.com, links to https://example.com",
        fix: expect.stringContaining("npx latchkey doctor --url https://example.com\n"),
      },
    ])
  })

  it.each([
    ["https://example.com", "ok forwarded-headers-trusted"],
    ["https://doctor.latchkey.invalid", "error forwarded-headers-trusted"],
    ["http://example.com", "error forwarded-headers-trusted"],
  ])("checkForwarded with links to %s for a visitor's X-Forwarded headers reports %s", (origin, expected) => {
    const providers = linkingTo("https://example.com")
    expect(codesOf(checkForwarded({ base: BASE, providers, forwarded: linkingTo(origin) }))).toEqual([expected])
  })

  it("checkForwarded with status 400 for a visitor's X-Forwarded headers reports ok forwarded-headers-trusted", () => {
    const [providers, forwarded] = [linkingTo("https://example.com"), answer({}, "Bad request.", 400)]
    expect(codesOf(checkForwarded({ base: BASE, providers, forwarded }))).toEqual(["ok forwarded-headers-trusted"])
  })
})

describe("checkCaches", () => {
  it.each([
    [{ "cache-control": "private, no-store" }, "ok session-cached"],
    [
      {
        "cache-control": "private, no-store",
        "cf-cache-status": "DYNAMIC",
        "x-cache": "Miss from cloudfront",
        age: "0",
      },
      "ok session-cached",
    ],
    [{ "cache-control": "private, no-store", age: "12" }, "error session-cached"],
    [{ "cf-cache-status": "HIT" }, "error session-cached"],
    [{ "x-cache": "Hit from cloudfront" }, "error session-cached"],
    [{ "cache-control": "max-age=60" }, "error cache-control-stripped"],
    [{}, "error cache-control-stripped"],
  ])("with %j reports %s", (headers, expected) =>
    expect(codesOf(checkCaches({ base: BASE, session: answer(headers as Record<string, string>) }))).toEqual([
      expected,
    ]),
  )
})

describe("checkSetCookies", () => {
  const ATTRIBUTES = "HttpOnly; SameSite=Lax; Path=/; Secure"
  it.each([
    [BASE, `__Host-authjs.csrf-token=x; ${ATTRIBUTES}`, "ok cookie-refused"],
    ["http://localhost:3000/auth", "authjs.csrf-token=x; HttpOnly; SameSite=Lax; Path=/", "ok cookie-refused"],
    ["http://localhost:3000/auth", `__Host-authjs.csrf-token=x; ${ATTRIBUTES}`, "ok cookie-refused"],
    ["http://example.com/auth", `__Host-authjs.csrf-token=x; ${ATTRIBUTES}`, "error cookie-refused"],
    [BASE, "__Secure-session=x; HttpOnly; SameSite=Lax; Path=/", "error cookie-refused"],
    [BASE, `__Host-session=x; ${ATTRIBUTES}; Domain=example.com`, "error cookie-refused"],
    [BASE, `__Host-session=x; HttpOnly; SameSite=Lax; Path=/auth; Secure`, "error cookie-refused"],
    [BASE, `__Secure-session=x; ${ATTRIBUTES}; Domain=example.org`, "error cookie-refused"],
    [BASE, `__Secure-session=x; ${ATTRIBUTES}; Domain=.example.com`, "ok cookie-refused"],
    [BASE, "authjs.csrf-token=x; HttpOnly; SameSite=Lax; Path=/", "error cookie-not-secure"],
    [BASE, "__Secure-session=x; SameSite=Lax; Path=/; Secure", "warning cookie-unprotected"],
    [BASE, "__Secure-session=x; HttpOnly; SameSite=None; Path=/; Secure", "warning cookie-unprotected"],
  ])("at %s with %s reports %s", (base, header, expected) =>
    expect(codesOf(checkSetCookies([header], base))).toEqual([expected]),
  )

  it("reports an error if the response sets no cookie", () =>
    expect(codesOf(checkSetCookies([], BASE))).toEqual(["error cookie-missing"]))
})

describe("checkHttps", () => {
  it.each([
    [answer({ location: "https://example.com/auth/providers" }, null, 301), "ok http-served"],
    [answer({ location: "http://example.com/login" }, null, 302), "error redirect-loop"],
    [answer(), "warning http-served"],
    [answer({}, null, 400), "ok http-served"],
    [undefined, "ok http-served"],
  ])("with the plain http answer %# reports %s", (plainHttp, expected) =>
    expect(codesOf(checkHttps({ base: BASE, plainHttp }, true))).toEqual([expected]),
  )

  it("reports a site without https as an error only in production", () => {
    const site = { base: "http://example.com/auth", plainHttp: undefined }
    expect(codesOf(checkHttps(site, true))).toEqual(["error https-missing"])
    expect(checkHttps(site, false)).toEqual([])
  })
})

describe("secondsAhead and clockFinding", () => {
  const at = (date: string, headers = {}) => ({
    ...answer({ date, ...headers }),
    sentAtMs: Date.parse("2026-01-01T12:00:00Z"),
    receivedAtMs: Date.parse("2026-01-01T12:00:01Z"),
  })

  it("secondsAhead subtracts the Age header from the Date header", () => {
    expect(secondsAhead(at("Thu, 01 Jan 2026 12:00:00 GMT"))).toBe(0)
    expect(secondsAhead(at("Thu, 01 Jan 2026 12:10:00 GMT"))).toBe(600)
    expect(secondsAhead(at("Thu, 01 Jan 2026 11:55:00 GMT", { age: "300" }))).toBe(0)
    expect(secondsAhead(at("nonsense"))).toBeUndefined()
  })

  it.each([
    [0, "ok"],
    [-9, "ok"],
    [20, "warning"],
    [-600, "error"],
  ])("clockFinding rates a clock %i seconds ahead as %s", (ahead, level) =>
    expect(clockFinding("op", ahead)).toMatchObject([{ level }]),
  )
})
