import { createHash } from "node:crypto"
import { devProvider } from "../../lib/testing.js"
import { Browser } from "../support/browser.js"
import { rawRequest } from "../support/raw-request.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { CLIENT, get, type Params, relyingParty, requestOf } from "./support/relying-party.js"

failOnUnhandled()

/** One of each kind: with everything, with a name alone, with nothing. */
const PEOPLE = {
  ada: { name: "Ada", email: "ada@example.com", email_verified: true, groups: ["staff"] },
  bob: { name: "Bob", email_verified: false },
  eve: {},
}
const NOWHERE = "no address at all"
const dev = devProvider({ port: 0, ...CLIENT, users: PEOPLE, redirectUris: [NOWHERE] })
const { authorizationUrl, answerTo } = relyingParty(dev)

beforeAll(() => dev.listen())
beforeEach(() => dev.reset())
afterAll(() => dev.close())

const STYLE = /<style>([\s\S]*)<\/style>/

/** What differs from run to run, by a name. */
const withoutChance = (text: string) =>
  text.replaceAll(dev.issuer, "ISSUER").replace(/(name="code" value=")[^"]*/, "$1CODE")

const escapedQuery = requestOf().replaceAll("&", "&amp;")

/** A page to the letter, with what a browser is told of it; its style is the same on each. */
async function pageOf(response: Response) {
  const html = await response.text()
  const headers = Object.fromEntries(response.headers)
  for (const name of ["connection", "date", "keep-alive", "set-cookie", "transfer-encoding", "content-length"])
    delete headers[name]
  const policy = headers["content-security-policy"]?.replace(/(style-src 'sha256-)[^']*/, "$1…")
  const bare = withoutChance(html).replace(STYLE, "<style>…</style>").replaceAll(escapedQuery, "QUERY")
  return { status: response.status, headers: { ...headers, "content-security-policy": policy }, html: bare }
}

const choose = (fields: Params, over?: Params) =>
  new Browser().post(`${dev.issuer}/choose`, { request: requestOf(over), ...(fields as Record<string, string>) })

describe("the page of devProvider()", () => {
  it("asks for the user", async () => {
    expect(await pageOf(await get(authorizationUrl()))).toMatchSnapshot()
  })

  it("lists the user of login_hint first", async () => {
    const html = await (await get(authorizationUrl({ login_hint: "bob", prompt: "login" }))).text()
    expect([...html.matchAll(/name="user" value="(\w+)"/g)].map(([, sub]) => sub)).toEqual(["bob", "ada", "eve"])
  })

  it.each([
    ["a new user", ""],
    ["an existing user", "ada"],
  ])("reports invalid claims of %s", async (_, sub) => {
    const fields = { sub, name: "<Ada>", email: "ada@example.com", more: "[1]" }
    const { status, html } = await pageOf(await choose(fields))
    expect([status, html.match(/<details open>[\s\S]*?<\/details>/g)]).toMatchSnapshot()
  })

  it("allows only its own style", async () => {
    const response = await get(authorizationUrl())
    const [, style = ""] = STYLE.exec(await response.text()) ?? []
    expect(style).toContain("color-scheme: light dark")
    const hash = createHash("sha256").update(style).digest("base64")
    expect(response.headers.get("content-security-policy")).toContain(`; style-src 'sha256-${hash}'`)
  })
})

describe("other pages of devProvider()", () => {
  it("the start page, and an unknown path", async () => {
    expect(await pageOf(await get(dev.issuer))).toMatchSnapshot()
    expect(await pageOf(await get(`${dev.issuer}/nothing`))).toMatchSnapshot()
  })

  it("the page after a sign-out", async () => {
    expect(await pageOf(await get(`${dev.issuer}/end-session`))).toMatchSnapshot()
  })

  it("the form_post response", async () => {
    dev.next()
    const response = await get(authorizationUrl({ response_mode: "form_post", state: undefined }))
    expect(response.headers.get("set-cookie")).toMatch(/^dev-provider-\d+=/)
    expect(await pageOf(response)).toMatchSnapshot()
  })
})

const alertOf = async (response: Response) => {
  const [, text = "no alert"] = /<p role="alert">([^<]*)</.exec(await response.text()) ?? []
  return [response.status, withoutChance(text)]
}

describe("messages of devProvider()", () => {
  it.each<[string, Params]>([
    ["another client", { client_id: "other" }],
    ["no client", { client_id: undefined }],
    ["another machine", { redirect_uri: "https://evil.test/" }],
    ["no redirect_uri", { redirect_uri: undefined }],
  ])("on a page: %s", async (_, over) => {
    expect(await alertOf(await get(authorizationUrl(over)))).toMatchSnapshot()
  })

  it("on a page: a repeated parameter", async () => {
    expect(await alertOf(await get(`${authorizationUrl()}&state=b`))).toEqual([400, "&quot;state&quot; is repeated"])
  })

  it.each<[string, Params]>([
    ["a deleted user", { user: "carol" }],
    ["an unknown mode", { mode: "constructor" }],
  ])("on a page: %s", async (_, fields) => {
    expect(await alertOf(await choose(fields))).toMatchSnapshot()
  })

  it("on a page: a form without a request, or from another site", async () => {
    const bare = await new Browser().post(`${dev.issuer}/choose`, { user: "ada" })
    expect(await alertOf(bare)).toEqual([400, "client_id is null; expected &quot;the app&quot;"])
    const forged = await new Browser().post(`${dev.issuer}/choose`, {}, { from: "http://evil.test" })
    expect(await alertOf(forged)).toEqual([403, "the form was submitted from another site"])
  })

  it.each<[string, Params]>([
    ["no user is signed in", { prompt: "none" }],
    ["an unknown prompt", { prompt: "login create" }],
  ])("to the application: %s", async (_, over) => {
    expect(Object.fromEntries(await answerTo(over))).toMatchObject({ error_description: expect.any(String) })
    expect((await answerTo(over)).get("error_description")).toMatchSnapshot()
  })

  it("to the application: the user refuses, or there are no users", async () => {
    dev.next({ mode: "deny" })
    expect((await answerTo()).get("error_description")).toBe("the user denied the request")
    const nobody = devProvider({ port: 0, ...CLIENT, users: {} })
    await nobody.listen()
    nobody.next()
    const told = await relyingParty(nobody).answerTo()
    await nobody.close()
    expect([told.get("error"), told.get("error_description")]).toEqual(["access_denied", "there is no user to sign in"])
  })

  it("for a request with another Host: a page for browsers, JSON for clients", async () => {
    const ask = (path: string, method = "GET") =>
      rawRequest(`${dev.issuer}${path}`, { path, method, headers: { host: "evil.test" } })
    for (const path of ["/authorize", "/end-session"]) {
      const { status, headers, text } = await ask(path)
      expect([status, headers.get("content-type")]).toEqual([421, "text/html; charset=utf-8"])
      expect(text).toContain(`this provider is ${dev.issuer}, but the Host header is evil.test`)
    }
    const { status, headers, text } = await ask("/token", "POST")
    expect([status, headers.get("content-type"), headers.has("www-authenticate")]).toEqual([
      421,
      "application/json",
      false,
    ])
    expect(JSON.parse(text)).toEqual({
      error: "invalid_request",
      error_description: `this provider is ${dev.issuer}, but the Host header is evil.test`,
    })
  })

  it("for an invalid URL in redirectUris", async () => {
    const response = await get(authorizationUrl({ redirect_uri: NOWHERE }))
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ error: "server_error", error_description: "Invalid URL" })
  })

  it("the metadata and keys", async () => {
    const response = await get(`${dev.issuer}/.well-known/openid-configuration`)
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(withoutChance(JSON.stringify(await response.json(), null, 2))).toMatchSnapshot()
    const { keys } = Object(await (await get(`${dev.issuer}/jwks`)).json())
    const text = expect.stringMatching(/^[\w-]+$/)
    expect(keys).toEqual([{ kty: "RSA", alg: "RS256", use: "sig", e: "AQAB", kid: text, n: text }])
  })

  it.each([
    ["/.well-known/openid-configuration", "GET"],
    ["/jwks", "GET"],
    ["/authorize", "GET, POST"],
    ["/choose", "POST"],
    ["/token", "POST"],
    ["/userinfo", "GET, POST"],
    ["/end-session", "GET, POST"],
  ])("for a wrong method: %s lists the allowed ones", async (path, allowed) => {
    const { status, headers, text } = await rawRequest(dev.issuer, { path, method: "PUT" })
    expect([status, headers.get("allow"), text]).toEqual([405, allowed, ""])
  })
})
