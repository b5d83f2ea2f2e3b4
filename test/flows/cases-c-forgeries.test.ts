/**
 * Other shapes of forged requests: SES-19 and SES-34.
 *
 * @module
 */
import express from "express"
import express4 from "express4"
import { describeServers, type Handler, shapesOn, type TestApp } from "../support/apps.js"
import { guardProcess } from "./support/guard.js"
import { CREDENTIALS, expectRefused, POSTS, SESSION, victimOf } from "./support/victim.js"

guardProcess()

const CSRF = "authjs.csrf-token"
const FORM = "application/x-www-form-urlencoded"
const JSON_TYPE = "application/json"

/** Before the middleware, as applications have them. */
type Parsers = "none" | "Express 4's" | "Express 5's" | "of text as JSON"
const parsersOf = (parsers: Parsers) => (app: TestApp) => {
  if (parsers === "none") return
  const { json, urlencoded, text } = parsers === "Express 4's" ? express4 : express
  const lenient = parsers === "of text as JSON"
  // Each framework declares its own request and response.
  const use = (parser: unknown) => app.use(parser as Handler)
  use(json(lenient ? { type: ["application/json", "text/plain"], strict: false } : {}))
  use(urlencoded({ extended: parsers === "Express 4's" }))
  use(text())
}

describeServers("a forged request", (start, stage) => {
  const rows = shapesOn(stage)
  const parsers: Parsers[] = stage === "Auth()" ? ["none"] : ["none", "Express 4's", "Express 5's", "of text as JSON"]

  const FROM = "https://evil.test"
  type Sent = (token: string, other: string) => { type: string; body: string }
  const form = (fields: [string, string][]): string => new URLSearchParams(fields).toString()
  const TOKENS: [string, Sent][] = [
    ["in capitals", (token) => ({ type: FORM, body: form([["csrfToken", token.toUpperCase()]]) })],
    [
      "under a name in other letters",
      (token) => ({
        type: FORM,
        body: form([
          ["csrftoken", token],
          ["csrf_token", token],
        ]),
      }),
    ],
    ["with a space after it", (token) => ({ type: FORM, body: form([["csrfToken", `${token} `]]) })],
    ["with a NUL after it", (token) => ({ type: FORM, body: form([["csrfToken", `${token}\0`]]) })],
    ["cut short by one", (token) => ({ type: FORM, body: form([["csrfToken", token.slice(0, -1)]]) })],
    [
      "with its hash, as the cookie has it",
      (token) => ({ type: FORM, body: form([["csrfToken", `${token}|${"a".repeat(64)}`]]) }),
    ],
    [
      "twice, the right one first",
      (token, other) => ({
        type: FORM,
        body: form([
          ["csrfToken", token],
          ["csrfToken", other],
        ]),
      }),
    ],
    ["in an object", (token) => ({ type: FORM, body: form([["csrfToken[token]", token]]) })],
    [
      "in fields of a prototype",
      (token) => ({
        type: FORM,
        body: form([
          ["__proto__[csrfToken]", token],
          ["constructor[prototype][csrfToken]", token],
        ]),
      }),
    ],
    ["in the prototype of JSON", (token) => ({ type: JSON_TYPE, body: `{"__proto__":{"csrfToken":"${token}"}}` })],
    ["as a list of JSON", (token) => ({ type: JSON_TYPE, body: JSON.stringify({ csrfToken: [token] }) })],
    [
      "as an object of JSON",
      (token) => ({ type: JSON_TYPE, body: JSON.stringify({ csrfToken: { toString: token } }) }),
    ],
    ["as true of JSON", () => ({ type: JSON_TYPE, body: JSON.stringify({ csrfToken: true }) })],
    ["as null of JSON", () => ({ type: JSON_TYPE, body: JSON.stringify({ csrfToken: null }) })],
    [
      "twice in JSON, the right one first",
      (token, other) => ({ type: JSON_TYPE, body: `{"csrfToken":"${token}","csrfToken":"${other}"}` }),
    ],
  ]

  describe.each(parsers)("with parsers of the application: %s", (kind) => {
    it.each(rows(TOKENS))("SES-19: a token %s is none", async (_, send) => {
      const { app, victim, token, attempts, session, records } = await victimOf(start, parsersOf(kind))
      const other = await app.browser().csrf()
      const { type, body } = send(token, other)
      for (const path of POSTS) {
        const sent = type === FORM ? `${body}&username=eve&password=right` : body
        expectRefused(
          path,
          await victim.request(path, { method: "POST", body: sent, headers: { "content-type": type } }),
        )
      }
      expect([attempts, victim.cookie(SESSION)]).toEqual([[], session])
      expect(records.map(({ level, code }) => [level, code])).toEqual(
        POSTS.map(() => ["warn", expect.stringMatching(/csrf|MissingCSRF/i)]),
      )
    })
  })

  it.each(
    rows<[string, (cookie: string, token: string) => string]>([
      ["an empty one", () => ""],
      ["the token alone", (_, token) => token],
      ["the token and a bar", (_, token) => `${token}|`],
      ["a bar and the hash", (cookie) => cookie.slice(cookie.indexOf("|"))],
      ["the hash in capitals", (cookie, token) => `${token}|${cookie.slice(token.length + 1).toUpperCase()}`],
      ["the hash cut short", (cookie) => cookie.slice(0, -1)],
      ["something after the hash", (cookie) => `${cookie}|`],
      ["another token before the hash", (cookie, token) => `${"0".repeat(64)}${cookie.slice(token.length)}`],
      ["another bar", (cookie) => cookie.replace("|", "||")],
      ["quotes about it", (cookie) => `"${cookie}"`],
    ]),
  )("SES-19: a cookie that holds %s is none of ours", async (_, change) => {
    const { victim, token, attempts } = await victimOf(start)
    const cookie = decodeURIComponent(victim.cookie(CSRF) ?? "")
    for (const path of POSTS) {
      victim.setCookie(CSRF, encodeURIComponent(change(cookie, token)))
      expectRefused(path, await victim.post(path, { csrfToken: token, username: "eve", password: "right" }))
    }
    expect(attempts).toEqual([])
    // A page of ours puts a good one in its place.
    expect(await victim.csrf()).toMatch(/^[\da-f]{64}$/)
  })

  const login = { username: "mallory", password: "right" }
  const CONTENT: [string, string, string][] = [
    ["a form", FORM, form(Object.entries(login))],
    ["a form of plain text", "text/plain", "username=mallory\r\npassword=right\r\n"],
    ["JSON in a form of plain text", "text/plain", JSON.stringify(login)],
    ["JSON that is called text", "text/plain; x=application/json", JSON.stringify(login)],
    ["JSON that is called text and JSON", "text/plain;application/json", JSON.stringify(login)],
    ["JSON", JSON_TYPE, JSON.stringify(login)],
    ["JSON of no kind", "", JSON.stringify(login)],
    [
      "a form of several parts",
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="username"\r\n\r\nmallory\r\n--x--\r\n',
    ],
    ["XML", "text/xml", "<username>mallory</username>"],
  ]

  describe.each(parsers)("SES-34: with parsers of the application: %s", (kind) => {
    it.each(rows(CONTENT))("%s of a stranger's site signs nobody in", async (_, type, body) => {
      const { app, victim, attempts, session } = await victimOf(start, parsersOf(kind))
      for (const browser of [victim, app.browser()])
        for (const from of [FROM, undefined]) {
          const headers = { "content-type": type, ...(from === undefined && { "sec-fetch-site": "", origin: "null" }) }
          const page = await browser.request(CREDENTIALS, { method: "POST", body, headers, ...(from && { from }) })
          // What is no JSON, or in several parts, is refused before anybody looks for a token.
          if (page.status === 302) expect(page.location).toContain("error=MissingCSRF")
          else expect([400, 415]).toContain(page.status)
          expect(page.headers.getSetCookie().join()).not.toContain("session-token")
        }
      expect([attempts, victim.cookie(SESSION)]).toEqual([[], session])
    })
  })

  it("SES-34: text that only calls itself JSON as well is read as text, with the token in it", async () => {
    const { victim, token, attempts, session } = await victimOf(start)
    // What a page of another origin may send without asking first: the essence is text/plain (Fetch §2.2.2).
    for (const type of ["text/plain;application/json", "text/plain; a=application/x-www-form-urlencoded"]) {
      const body = type.includes("json")
        ? JSON.stringify({ ...login, csrfToken: token })
        : form(Object.entries({ ...login, csrfToken: token }))
      expectRefused(
        CREDENTIALS,
        await victim.request(CREDENTIALS, { method: "POST", body, headers: { "content-type": type } }),
      )
    }
    expect([attempts, victim.cookie(SESSION)]).toEqual([[], session])
  })
})
