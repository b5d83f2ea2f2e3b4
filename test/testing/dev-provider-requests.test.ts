import { decodeJwt } from "jose"
import { devProvider } from "../../lib/testing.js"
import { Browser } from "../support/browser.js"
import { rawRequest } from "../support/raw-request.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { CHALLENGE, CLIENT, get, type Params, relyingParty } from "./support/relying-party.js"

failOnUnhandled()

let now = Date.now()
const dev = devProvider({ port: 0, ...CLIENT, clock: () => now })
const { authorizationUrl, answerTo, redeem } = relyingParty(dev)

beforeAll(() => dev.listen())
beforeEach(() => {
  dev.ask()
  now = Date.now()
})
afterAll(() => dev.close())

const errorOf = async (over: Params) => (await answerTo(over)).get("error")
const claimsOf = async (answer: URLSearchParams) =>
  decodeJwt(String((await redeem(answer.get("code") ?? "")).body["id_token"]))

describe("an authorization request to devProvider()", () => {
  it.each<[string, Params, string]>([
    ["no scope", { scope: undefined }, "invalid_scope"],
    ["a challenge too long", { code_challenge: `${CHALLENGE}x` }, "invalid_request"],
    ["a challenge with more around it", { code_challenge: `+${CHALLENGE}` }, "invalid_request"],
    ["a max_age with more behind it", { max_age: "60s" }, "invalid_request"],
    ["a known prompt beside an unknown one", { prompt: "login create" }, "invalid_request"],
  ])("is refused with %s", async (_, over, error) => {
    expect(await errorOf(over)).toBe(error)
  })

  it.each<[string, Params]>([
    ["prompt login", { prompt: "login" }],
    ["prompt consent", { prompt: "consent" }],
    ["several prompts", { prompt: "consent select_account" }],
    ["a login_hint that nobody has", { login_hint: "nobody" }],
    ["the response mode that goes without saying", { response_mode: "query" }],
    ["parameters that are empty", { prompt: "", login_hint: "", max_age: "" }],
  ])("shows the page with %s", async (_, over) => {
    expect((await get(authorizationUrl(over))).status).toBe(200)
  })

  it("gets no state back where it brought none", async () => {
    dev.next()
    expect([...(await answerTo({ state: undefined })).keys()]).toEqual(["code", "iss"])
  })

  it("may have a question mark in its query (RFC 3986 §3.4)", async () => {
    dev.next()
    const { location } = await new Browser().get(authorizationUrl({ state: "a?b=c" }).replace("%3F", "?"))
    expect(new URL(location).searchParams.get("state")).toBe("a?b=c")
  })

  it("from a program that says nothing of where a form was, is taken as from the page", async () => {
    const request = new URL(authorizationUrl()).search.slice(1)
    const body = new URLSearchParams({ request, person: "bob" }).toString()
    const { status } = await rawRequest(dev.issuer, { path: "/choose", method: "POST", body })
    expect(status).toBe(303)
  })

  it("names nobody by default: the first of the people signs in", async () => {
    dev.next()
    expect(await claimsOf(await answerTo())).toMatchObject({ sub: "alice" })
  })

  it("finds somebody by an address, whatever its capitals, beside people without one", async () => {
    dev.people.set("eve", { name: "Eve" })
    dev.people.set("dora", { email: "Dora@Example.com" })
    expect(await claimsOf(await answerTo({ login_hint: "dora@example.COM" }))).toMatchObject({ sub: "dora" })
  })
})

describe("a browser that devProvider() knows", () => {
  const silent = { prompt: "none" }
  const HOUR_MS = 60 * 60 * 1000

  async function knownBrowser(as = "bob"): Promise<Browser> {
    const browser = new Browser()
    dev.next({ as })
    await answerTo({}, browser)
    return browser
  }

  it("gets a cookie that scripts can't read, of this provider alone", async () => {
    dev.next()
    const { headers, location } = await new Browser().get(authorizationUrl())
    expect(headers.get("set-cookie")).toMatch(/^dev-provider-\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(headers.get("set-cookie")).toContain(`dev-provider-${new URL(dev.issuer).port}=`)
    expect([headers.get("cache-control"), location.startsWith("http://localhost:3000/")]).toEqual(["no-store", true])
  })

  it("is told when it signed in, not when it was asked", async () => {
    const at = Math.floor(now / 1000)
    const browser = await knownBrowser()
    now += 5_000
    expect(await claimsOf(await answerTo(silent, browser))).toMatchObject({ sub: "bob", auth_time: at })
    expect((await answerTo({ ...silent, max_age: "5" }, browser)).has("code")).toBe(true)
    expect((await answerTo({ ...silent, max_age: "4" }, browser)).get("error")).toBe("login_required")
  })

  it("is forgotten after eight hours", async () => {
    const browser = await knownBrowser()
    now += 8 * HOUR_MS - 1_000
    expect((await answerTo(silent, browser)).has("code")).toBe(true)
    now += 1_000
    expect((await answerTo(silent, browser)).get("error")).toBe("login_required")
  })

  it("is nobody when the person was taken away", async () => {
    dev.people.set("carol", { name: "Carol" })
    const browser = await knownBrowser("carol")
    dev.people.delete("carol")
    expect((await answerTo(silent, browser)).get("error")).toBe("login_required")
  })
})

describe("the end of a session at devProvider()", () => {
  const out = (query: string, browser = new Browser()) => browser.get(`${dev.issuer}/end-session?${query}`)
  const BACK = "client_id=the+app&post_logout_redirect_uri=http%3A%2F%2Flocalhost%3A3000%2F"

  it.each([
    ["by a page", ""],
    ["by the way back", BACK],
  ])("clears the cookie %s", async (_, query) => {
    const { headers } = await out(query)
    const name = `dev-provider-${new URL(dev.issuer).port}`
    expect(headers.get("set-cookie")).toBe(`${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`)
  })

  it("counts also for a browser that keeps the cookie", async () => {
    const browser = new Browser()
    dev.next()
    await answerTo({}, browser)
    await out("", browser.clone())
    expect((await answerTo({ prompt: "none" }, browser)).get("error")).toBe("login_required")
  })

  it("leads back without a state where none came", async () => {
    expect((await out(BACK)).location).toBe("http://localhost:3000/")
  })

  it("takes a hint that has expired, and none of another provider", async () => {
    const hintOf = async ({ answerTo, redeem }: ReturnType<typeof relyingParty>) =>
      String((await redeem((await answerTo()).get("code") ?? "")).body["id_token"])
    const backWith = async (hint: string) =>
      (await out(`${BACK.replace("client_id=the+app", "")}&id_token_hint=${hint}`)).location
    dev.next({ mode: "expired-token" })
    expect(await backWith(await hintOf(relyingParty(dev)))).toBe("http://localhost:3000/")
    const other = await devProvider({ port: 0, ...CLIENT }).listen()
    other.next()
    expect(await backWith(await hintOf(relyingParty(other)))).toBe("")
    await other.close()
  })
})
