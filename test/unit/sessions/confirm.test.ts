/** The second authentication of a user in the same session. */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import type { CookieChange, SessionAuthentication } from "../../../lib/base/types.js"
import { createCookieSet } from "../../../lib/http/cookies.js"
import { encode } from "../../../lib/jwt.js"
import { createRuntime } from "../../../lib/runtime/runtime.js"
import { mergeAuthentication } from "../../../lib/sessions/authentication.js"
import type { SessionCookies, SessionStrategy } from "../../../lib/sessions/session.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { TEST_SECRET } from "../../support/apps.js"

const NOW = 1_900_000_000_000
const SECONDS = NOW / 1000
const NAME = "authjs.session-token"
const cookieSet = createCookieSet(false)

const authenticationOf = (over: Partial<SessionAuthentication> = {}): SessionAuthentication => ({
  ...{ id: "s".repeat(22), owner: "7", provider: "credentials", method: "credentials", amr: ["pwd"] },
  ...over,
})

/** Returns the browser with the cookies of a response. */
function apply(browser: SessionCookies, changes: readonly CookieChange[]): SessionCookies {
  const put = changes.flatMap((change) => ("put" in change ? [[NAME, change.value] as const] : []))
  return { ...browser, cookies: { ...browser.cookies, ...Object.fromEntries(put) } }
}

async function signIn(
  sessions: SessionStrategy,
  authentication: SessionAuthentication,
  userId = "7",
): Promise<SessionCookies> {
  const browser: SessionCookies = { cookies: {}, cookieSet }
  const account = { provider: authentication.provider, providerAccountId: "1", type: "credentials" as const }
  const { cookies } = await sessions.create({ user: { id: userId, name: "ada" }, account, authentication }, browser)
  return apply(browser, cookies)
}

const startProcess = (config: Partial<AuthConfig> = {}) =>
  createRuntime(configOf({ clock: () => NOW, secret: TEST_SECRET, ...config }), {}).sessions

describe("mergeAuthentication", () => {
  it.each([
    ["adds the methods", { amr: ["pwd"] }, { amr: ["otp", "mfa", "pwd"] }, { amr: ["pwd", "otp", "mfa"] }],
    ["takes the later time", { authTime: 5 }, { authTime: 9 }, { authTime: 9 }],
    ["keeps the later time", { authTime: 9 }, { authTime: 5 }, { authTime: 9 }],
    ["keeps the time if the new one is unknown", { authTime: 9 }, {}, { authTime: 9 }],
    ["takes the time if the old one is unknown", {}, { authTime: 9 }, { authTime: 9 }],
    ["takes the new context", { acr: "low" }, { acr: "high" }, { acr: "high" }],
    ["keeps the context if the new one is unknown", { acr: "low" }, {}, { acr: "low" }],
  ])("%s", (_, previous, confirmed, merged) => {
    const other = { id: "o".repeat(22), provider: "google", method: "oidc", ...confirmed }
    expect(mergeAuthentication(authenticationOf(previous), authenticationOf(other))).toEqual(
      authenticationOf({ ...previous, ...merged }),
    )
  })

  it.each<[string, Partial<SessionAuthentication>, Partial<SessionAuthentication>, string]>([
    ["takes the provider's new session", { providerSub: "s" }, { providerSid: "new" }, "new"],
    [
      "takes the provider's new session if the session does not state its user at the provider",
      {},
      { providerSid: "new" },
      "new",
    ],
    ["keeps the provider's session of another account", { providerSub: "another" }, { providerSid: "new" }, "old"],
    ["keeps the session of another provider", { provider: "google" }, { providerSid: "new" }, "old"],
    ["keeps the provider's session if there is no other", { providerSub: "s" }, {}, "old"],
  ])("%s", (_, previous, confirmed, providerSid) => {
    const opened = authenticationOf({ provider: "oidc", providerSid: "old", ...previous })
    const again = authenticationOf({ provider: "oidc", providerSub: "s", ...confirmed })
    expect(mergeAuthentication(opened, again)).toEqual({ ...opened, providerSid })
  })

  it("has no time if neither authentication has one", () => {
    expect(mergeAuthentication(authenticationOf(), authenticationOf())).not.toHaveProperty("authTime")
  })
})

describe.each(["jwt", "database"] as const)("a confirmation with the strategy %s", (strategy) => {
  const confirmed = authenticationOf({ id: "c".repeat(22), provider: "passkey", method: "webauthn", amr: ["hwk"] })

  async function open(config: Partial<AuthConfig> = {}) {
    const adapter = MemoryAdapter()
    const { id: owner } = await adapter.createUser({ id: "", email: "ada@example.com", emailVerified: null })
    const shared = { adapter, store: MemoryStore(), session: { strategy }, ...config }
    const sessions = startProcess(shared)
    const browser = await signIn(sessions, authenticationOf({ owner, authTime: SECONDS - 5000 }), owner)
    return { owner, sessions, browser, other: startProcess(shared) }
  }

  it("extends the authentication, and keeps the session's id, owner and provider", async () => {
    const { owner, sessions, browser, other } = await open()
    const before = await sessions.read(browser, { mode: "peek" })
    const changes = await sessions.recordReauthentication(browser, { ...confirmed, owner, authTime: SECONDS })
    const expected = authenticationOf({ owner, amr: ["pwd", "hwk"], authTime: SECONDS })
    // The browser still has the previous cookie if a concurrent response has replaced the new one.
    for (const cookies of [browser, apply(browser, changes)]) {
      expect(await other.authentication(cookies)).toEqual(expected)
      expect(await other.read(cookies, { mode: "peek" })).toMatchObject({ id: before.id, owner })
    }
    expect(await other.registry?.list({ owner })).toHaveLength(1)
  })

  it("keeps the later of two times", async () => {
    const { owner, sessions, browser } = await open()
    await sessions.recordReauthentication(browser, { ...confirmed, owner, authTime: SECONDS - 60 })
    await sessions.recordReauthentication(browser, { ...confirmed, owner, authTime: SECONDS - 90 })
    expect(await sessions.authentication(browser)).toMatchObject({ authTime: SECONDS - 60 })
  })

  it("does not bring back a session that ended meanwhile", async () => {
    const { owner, sessions, browser, other } = await open()
    const { id = "" } = await sessions.read(browser, { mode: "peek" })
    await other.registry?.end(id)
    const changes = await sessions.recordReauthentication(browser, { ...confirmed, owner, authTime: SECONDS })
    expect(changes.filter((change) => "put" in change)).toEqual([])
    expect(await other.registry?.find(id)).toBeUndefined()
  })

  it("replaces the provider's session and the logout hint, so that a logout at the provider ends the session", async () => {
    const { owner, sessions, browser, other } = await open()
    const atProvider = { owner, provider: "credentials", amr: [] }
    await sessions.recordReauthentication(browser, authenticationOf({ ...atProvider, providerSid: "old" }), "old hint")
    await sessions.recordReauthentication(browser, authenticationOf({ ...atProvider, providerSid: "new" }), "new hint")
    await sessions.recordReauthentication(
      browser,
      authenticationOf({ ...atProvider, provider: "other", providerSid: "other" }),
      "other hint",
    )
    const [session] = (await other.registry?.list({ provider: "credentials", sid: "new" })) ?? []
    expect(session).toMatchObject({ logoutHint: "new hint", authentication: { providerSid: "new" } })
    expect(await other.registry?.list({ provider: "other", sid: "other" })).toEqual([])
    await other.registry?.endAll({ provider: "credentials", sid: "new" })
    expect((await other.read(browser, { mode: "peek" })).session).toBeNull()
  })

  it("changes nothing without a session", async () => {
    const { sessions } = await open()
    expect(await sessions.recordReauthentication({ cookies: {}, cookieSet }, confirmed)).toEqual([])
  })
})

describe("a confirmation of a cookie session", () => {
  const confirmed = authenticationOf({
    id: "c".repeat(22),
    provider: "passkey",
    method: "webauthn",
    amr: ["hwk"],
    authTime: SECONDS,
  })

  it("is stored in the cookie with the latest claims, and does not call the jwt callback with the trigger signIn", async () => {
    const triggers: unknown[] = []
    const jwt: NonNullable<AuthConfig["callbacks"]>["jwt"] = ({ token, user, trigger }) => {
      triggers.push(trigger)
      return user ? { ...token, count: 0 } : { ...token, count: Number(token["count"]) + 1 }
    }
    const sessions = startProcess({
      callbacks: { jwt, session: ({ session, token }) => ({ ...session, count: token["count"] }) },
    })
    const browser = await signIn(sessions, authenticationOf())
    // This read changes the claims, but the browser gets no cookie.
    await sessions.read(browser, { mode: "peek" })
    const later = apply(browser, await sessions.recordReauthentication(browser, confirmed))
    expect(triggers).toEqual(["signIn", undefined])
    expect(later.cookies[NAME]).not.toBe(browser.cookies[NAME])
    const other = startProcess({
      callbacks: { jwt, session: ({ session, token }) => ({ ...session, count: token["count"] }) },
    })
    expect(await other.authentication(later)).toMatchObject({
      id: authenticationOf().id,
      amr: ["pwd", "hwk"],
      authTime: SECONDS,
    })
    expect(await other.read(later, { mode: "peek" })).toMatchObject({ session: { user: { name: "ada" }, count: 2 } })
  })

  it("does not set a cookie after the browser has signed out", async () => {
    const sessions = startProcess({ session: { strategy: "jwt" } })
    const browser = await signIn(sessions, authenticationOf())
    await sessions.destroy(browser)
    expect(await sessions.recordReauthentication(browser, confirmed)).toEqual([])
  })

  it("adds an authentication to a session of Auth.js, with and without a store", async () => {
    const value = await encode({ token: { sub: "7", name: "ada" }, secret: TEST_SECRET, salt: NAME })
    for (const store of [undefined, MemoryStore()]) {
      const sessions = startProcess({ clock: () => Date.now(), ...(store && { store }) })
      const browser: SessionCookies = { cookies: { [NAME]: value }, cookieSet }
      expect(await sessions.authentication(browser)).toBeUndefined()
      const { id } = await sessions.read(browser, { mode: "peek" })
      const later = apply(browser, await sessions.recordReauthentication(browser, confirmed))
      expect(await sessions.authentication(later)).toMatchObject({
        id: id ?? confirmed.id,
        provider: "passkey",
        authTime: SECONDS,
      })
    }
  })
})

describe("recordsAuthentication", () => {
  it("is false only for database sessions without a registry", () => {
    const keeps = (config: Partial<AuthConfig>) => startProcess(config).recordsAuthentication
    const adapter = MemoryAdapter()
    expect([
      keeps({}),
      keeps({ adapter, session: { strategy: "database" } }),
      keeps({ adapter, session: { strategy: "database", revocable: false } }),
      keeps({ adapter, session: { strategy: "jwt", revocable: false } }),
    ]).toEqual([true, true, false, true])
  })
})
