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
  dev.reset()
  now = Date.now()
})
afterAll(() => dev.close())

const errorOf = async (over: Params) => (await answerTo(over)).get("error")
const claimsOf = async (answer: URLSearchParams) =>
  decodeJwt(String((await redeem(answer.get("code") ?? "")).body["id_token"]))

describe("an authorization request to devProvider()", () => {
  it.each<[string, Params, string]>([
    ["no scope", { scope: undefined }, "invalid_scope"],
    ["a challenge that is too long", { code_challenge: `${CHALLENGE}x` }, "invalid_request"],
    ["a challenge with an additional character", { code_challenge: `+${CHALLENGE}` }, "invalid_request"],
    ["a max_age with a unit", { max_age: "60s" }, "invalid_request"],
    ["a valid and an unknown prompt", { prompt: "login create" }, "invalid_request"],
  ])("is rejected with %s", async (_, over, error) => {
    expect(await errorOf(over)).toBe(error)
  })

  it.each<[string, Params]>([
    ["prompt login", { prompt: "login" }],
    ["prompt consent", { prompt: "consent" }],
    ["several prompts", { prompt: "consent select_account" }],
    ["an unknown login_hint", { login_hint: "nobody" }],
    ["the default response mode", { response_mode: "query" }],
    ["empty parameters", { prompt: "", login_hint: "", max_age: "" }],
  ])("shows the page with %s", async (_, over) => {
    expect((await get(authorizationUrl(over))).status).toBe(200)
  })

  it("gets no state back if it sent none", async () => {
    dev.next()
    expect([...(await answerTo({ state: undefined })).keys()]).toEqual(["code", "iss"])
  })

  it("may contain a question mark in its query (RFC 3986 §3.4)", async () => {
    dev.next()
    const { location } = await new Browser().get(authorizationUrl({ state: "a?b=c" }).replace("%3F", "?"))
    expect(new URL(location).searchParams.get("state")).toBe("a?b=c")
  })

  it("is accepted from a client that sends no Origin", async () => {
    const request = new URL(authorizationUrl()).search.slice(1)
    const body = new URLSearchParams({ request, user: "bob" }).toString()
    const { status } = await rawRequest(dev.issuer, { path: "/choose", method: "POST", body })
    expect(status).toBe(303)
  })

  it("signs in the first user by default", async () => {
    dev.next()
    expect(await claimsOf(await answerTo())).toMatchObject({ sub: "alice" })
  })

  it("finds a user by address in any case, next to users without an address", async () => {
    dev.users.set("eve", { name: "Eve" })
    dev.users.set("dora", { email: "Dora@Example.com" })
    expect(await claimsOf(await answerTo({ login_hint: "dora@example.COM" }))).toMatchObject({ sub: "dora" })
  })
})

describe("a browser that devProvider() remembers", () => {
  const silent = { prompt: "none" }
  const HOUR_MS = 60 * 60 * 1000

  async function knownBrowser(as = "bob"): Promise<Browser> {
    const browser = new Browser()
    dev.next({ as })
    await answerTo({}, browser)
    return browser
  }

  it("gets an HttpOnly cookie for this provider", async () => {
    dev.next()
    const { headers, location } = await new Browser().get(authorizationUrl())
    expect(headers.get("set-cookie")).toMatch(/^dev-provider-\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(headers.get("set-cookie")).toContain(`dev-provider-${new URL(dev.issuer).port}=`)
    expect([headers.get("cache-control"), location.startsWith("http://localhost:3000/")]).toEqual(["no-store", true])
  })

  it("keeps the time of its sign-in as auth_time", async () => {
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

  it("is signed out if its user was deleted", async () => {
    dev.users.set("carol", { name: "Carol" })
    const browser = await knownBrowser("carol")
    dev.users.delete("carol")
    expect((await answerTo(silent, browser)).get("error")).toBe("login_required")
  })
})

describe("the sign-out at devProvider()", () => {
  const out = (query: string, browser = new Browser()) => browser.get(`${dev.issuer}/end-session?${query}`)
  const BACK = "client_id=the+app&post_logout_redirect_uri=http%3A%2F%2Flocalhost%3A3000%2F"

  it.each([
    ["with a page", ""],
    ["with a redirect", BACK],
  ])("clears the cookie %s", async (_, query) => {
    const { headers } = await out(query)
    const name = `dev-provider-${new URL(dev.issuer).port}`
    expect(headers.get("set-cookie")).toBe(`${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`)
  })

  it("also applies to a browser that keeps the cookie", async () => {
    const browser = new Browser()
    dev.next()
    await answerTo({}, browser)
    await out("", browser.clone())
    expect((await answerTo({ prompt: "none" }, browser)).get("error")).toBe("login_required")
  })

  it("redirects without a state if none was sent", async () => {
    expect((await out(BACK)).location).toBe("http://localhost:3000/")
  })

  it("accepts an expired hint, but none of another provider", async () => {
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
