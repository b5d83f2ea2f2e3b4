/**
 * SES-19 and SES-34: malformed CSRF tokens and cookies, and bodies that other sites can send.
 *
 * @module
 */
import express from "express"
import express4 from "express4"
import { describeServers, type Handler, shapesOn, type TestApp } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { CREDENTIALS, expectRefused, POSTS, SESSION, victimOf } from "../support/victim.js"

guardProcess()

const CSRF = "authjs.csrf-token"
const FORM = "application/x-www-form-urlencoded"
const JSON_TYPE = "application/json"

/** Body parsers that the application mounts before the middleware. */
type Parsers = "none" | "Express 4's" | "Express 5's" | "text parsed as JSON"
const parsersOf = (parsers: Parsers) => (app: TestApp) => {
  if (parsers === "none") return
  const { json, urlencoded, text } = parsers === "Express 4's" ? express4 : express
  const lenient = parsers === "text parsed as JSON"
  // Each framework declares its own request and response.
  const use = (parser: unknown) => app.use(parser as Handler)
  use(json(lenient ? { type: ["application/json", "text/plain"], strict: false } : {}))
  use(urlencoded({ extended: parsers === "Express 4's" }))
  use(text())
}

describeServers("A forged request", (start, stage) => {
  const rows = shapesOn(stage)
  const parsers: Parsers[] =
    stage === "Auth()" ? ["none"] : ["none", "Express 4's", "Express 5's", "text parsed as JSON"]

  const FROM = "https://evil.test"
  type Sent = (token: string, other: string) => { type: string; body: string }
  const form = (fields: [string, string][]): string => new URLSearchParams(fields).toString()
  const TOKENS: [string, Sent][] = [
    ["in upper case", (token) => ({ type: FORM, body: form([["csrfToken", token.toUpperCase()]]) })],
    [
      "in a field with another spelling",
      (token) => ({
        type: FORM,
        body: form([
          ["csrftoken", token],
          ["csrf_token", token],
        ]),
      }),
    ],
    ["with a trailing space", (token) => ({ type: FORM, body: form([["csrfToken", `${token} `]]) })],
    ["with a trailing NUL", (token) => ({ type: FORM, body: form([["csrfToken", `${token}\0`]]) })],
    ["without its last character", (token) => ({ type: FORM, body: form([["csrfToken", token.slice(0, -1)]]) })],
    [
      "with a hash, as in the cookie",
      (token) => ({ type: FORM, body: form([["csrfToken", `${token}|${"a".repeat(64)}`]]) }),
    ],
    [
      "followed by another token",
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
      "in __proto__ and constructor fields",
      (token) => ({
        type: FORM,
        body: form([
          ["__proto__[csrfToken]", token],
          ["constructor[prototype][csrfToken]", token],
        ]),
      }),
    ],
    [
      "in the __proto__ of a JSON object",
      (token) => ({ type: JSON_TYPE, body: `{"__proto__":{"csrfToken":"${token}"}}` }),
    ],
    ["in a JSON list", (token) => ({ type: JSON_TYPE, body: JSON.stringify({ csrfToken: [token] }) })],
    ["in a JSON object", (token) => ({ type: JSON_TYPE, body: JSON.stringify({ csrfToken: { toString: token } }) })],
    ["that is JSON true", () => ({ type: JSON_TYPE, body: JSON.stringify({ csrfToken: true }) })],
    ["that is JSON null", () => ({ type: JSON_TYPE, body: JSON.stringify({ csrfToken: null }) })],
    [
      "followed by another token in JSON",
      (token, other) => ({ type: JSON_TYPE, body: `{"csrfToken":"${token}","csrfToken":"${other}"}` }),
    ],
  ]

  describe.each(parsers)("with body parsers: %s", (kind) => {
    it.each(rows(TOKENS))("SES-19: is refused with a token %s", async (_, send) => {
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
      ["nothing", () => ""],
      ["only the token", (_, token) => token],
      ["the token and a separator", (_, token) => `${token}|`],
      ["a separator and the hash", (cookie) => cookie.slice(cookie.indexOf("|"))],
      ["the hash in upper case", (cookie, token) => `${token}|${cookie.slice(token.length + 1).toUpperCase()}`],
      ["a truncated hash", (cookie) => cookie.slice(0, -1)],
      ["a separator after the hash", (cookie) => `${cookie}|`],
      ["another token before the hash", (cookie, token) => `${"0".repeat(64)}${cookie.slice(token.length)}`],
      ["two separators", (cookie) => cookie.replace("|", "||")],
      ["quotes around the value", (cookie) => `"${cookie}"`],
    ]),
  )("SES-19: is refused with a CSRF cookie that contains %s", async (_, change) => {
    const { victim, token, attempts } = await victimOf(start)
    const cookie = decodeURIComponent(victim.cookie(CSRF) ?? "")
    for (const path of POSTS) {
      victim.setCookie(CSRF, encodeURIComponent(change(cookie, token)))
      expectRefused(path, await victim.post(path, { csrfToken: token, username: "eve", password: "right" }))
    }
    expect(attempts).toEqual([])
    // The next page replaces it with a valid cookie.
    expect(await victim.csrf()).toMatch(/^[\da-f]{64}$/)
  })

  const login = { username: "mallory", password: "right" }
  const CONTENT: [string, string, string][] = [
    ["a form", FORM, form(Object.entries(login))],
    ["a text/plain form", "text/plain", "username=mallory\r\npassword=right\r\n"],
    ["JSON in a text/plain form", "text/plain", JSON.stringify(login)],
    ["JSON as text/plain with a parameter that names JSON", "text/plain; x=application/json", JSON.stringify(login)],
    ["JSON as text/plain followed by application/json", "text/plain;application/json", JSON.stringify(login)],
    ["JSON", JSON_TYPE, JSON.stringify(login)],
    ["JSON without a content type", "", JSON.stringify(login)],
    [
      "a multipart form",
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="username"\r\n\r\nmallory\r\n--x--\r\n',
    ],
    ["XML", "text/xml", "<username>mallory</username>"],
  ]

  describe.each(parsers)("SES-34: with body parsers: %s", (kind) => {
    it.each(rows(CONTENT))("does not sign in from another site: %s", async (_, type, body) => {
      const { app, victim, attempts, session } = await victimOf(start, parsersOf(kind))
      for (const browser of [victim, app.browser()])
        for (const from of [FROM, undefined]) {
          const headers = { "content-type": type, ...(from === undefined && { "sec-fetch-site": "", origin: "null" }) }
          const page = await browser.request(CREDENTIALS, { method: "POST", body, headers, ...(from && { from }) })
          // Malformed JSON and multipart bodies are refused before the token is checked.
          if (page.status === 302) expect(page.location).toContain("error=MissingCSRF")
          else expect([400, 415]).toContain(page.status)
          expect(page.headers.getSetCookie().join()).not.toContain("session-token")
        }
      expect([attempts, victim.cookie(SESSION)]).toEqual([[], session])
    })
  })

  it("SES-34: is refused if the content type is text/plain with a suffix that names JSON or a form, even with the token", async () => {
    const { victim, token, attempts, session } = await victimOf(start)
    // The essence is text/plain, which a page of another origin can send without a preflight (Fetch §2.2.2).
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
