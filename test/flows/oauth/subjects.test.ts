/**
 * How accounts are identified: further cases of OID-51, and tokens that are not accepted as sessions.
 *
 * @module
 */
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { describeServers, shapesOn } from "../../support/apps.js"
import type { Claims } from "../../support/faulty-provider.js"
import { guardProcess } from "../support/guard.js"
import { memoryStore } from "../support/memory-adapter.js"
import {
  begin,
  flowCookies,
  named,
  type SiteOptions,
  sessionOf,
  signIn,
  startAndApprove,
  startSite,
} from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
const other = useProvider({ clientId: "latchkey-elsewhere" })

const COOKIE = "authjs.session-token"

describeServers("identity of a user", (start, stage) => {
  const rows = shapesOn(stage)
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("OID-51: ignores account fields in a token response", async () => {
    const accounts: Claims[] = []
    const callbacks = {
      signIn: ({ account }: { account?: object | null }) => accounts.push({ ...account }) > 0,
    }
    const site = await createSite({
      providers: [op.oidc(), named(other.oidc(), "b")],
      sessions: "database",
      config: { callbacks },
    })
    await signIn(site.app.browser(), op)
    other.set({
      user: { sub: "mallory", name: "Mallory", email: "mallory@example.com" },
      token: (json) => ({
        ...json,
        userId: "user-1",
        provider: "oidc",
        providerAccountId: "alice",
        type: "credentials",
      }),
    })
    const browser = site.app.browser()
    await signIn(browser, other, { id: "b" })
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Mallory" } })
    expect(accounts[1]).toMatchObject({ provider: "b", providerAccountId: "mallory", type: "oidc" })
    expect(accounts[1]).not.toHaveProperty("userId")
    expect(site.store?.accounts.map(({ provider, userId }) => [provider, userId])).toEqual([
      ["oidc", "user-1"],
      ["b", "user-2"],
    ])
  })

  it.each(
    rows([
      ["the Kelvin sign", "\u212Aim@example.com", "kim@example.com"],
      ["the \u00c5ngstr\u00f6m sign", "\u212Bsa@example.com", "\u00e5sa@example.com"],
      ["a dotted capital I", "al\u0130ce@example.com", "alice@example.com"],
      ["full-width letters", "\uff41lice@example.com", "alice@example.com"],
    ]),
  )(
    "OID-51: does not normalize an address with %s into another one, even if accounts are linked by address",
    async (_, lookalike, victimEmail) => {
      const linking = { allowDangerousEmailAccountLinking: true }
      const providers = [op.oidc(linking), named(other.oidc(linking), "b")]
      const site = await createSite({ providers, sessions: "database" })
      op.set({ user: { sub: "alice", name: "Alice", email: victimEmail.toUpperCase(), email_verified: true } })
      await signIn(site.app.browser(), op)
      other.set({ user: { sub: "mallory", name: "Mallory", email: lookalike, email_verified: true } })
      const browser = site.app.browser()
      await signIn(browser, other, { id: "b" })
      expect([...(site.store?.users.values() ?? [])].map(({ email }) => email)[0]).toBe(victimEmail)
      expect(await sessionOf(browser)).not.toMatchObject({ user: { email: victimEmail } })
      expect(site.store?.accounts.filter(({ userId }) => userId === "user-1")).toHaveLength(1)
    },
  )

  it("OID-51: does not treat an address as verified if the profile callback changed it into another one", async () => {
    const profile = (claims: Claims) => ({ id: String(claims["sub"]), email: String(claims["email"]).toLowerCase() })
    const linking = { allowDangerousEmailAccountLinking: true, profile }
    const site = await createSite({
      providers: [op.oidc(linking), named(other.oidc(linking), "b")],
      sessions: "database",
    })
    op.set({ user: { sub: "kim", email: "kim@example.com", email_verified: true } })
    await signIn(site.app.browser(), op)
    other.set({ user: { sub: "mallory", email: "\u212Aim@example.com", email_verified: true } })
    const page = await signIn(site.app.browser(), other, { id: "b" })
    expect(new URL(page.location).searchParams.get("error")).toBe("OAuthAccountNotLinked")
    expect([site.store?.users.size, site.store?.accounts.length]).toEqual([1, 1])
    // A change of ASCII case keeps the address verified.
    other.set({ user: { sub: "kim at b", email: "KIM@Example.com", email_verified: true } })
    await signIn(site.app.browser(), other, { id: "b" })
    expect([site.store?.users.size, site.store?.accounts.length]).toEqual([1, 2])
  })

  it("FLT-06: treats an empty email address as missing, so two such users do not violate a unique constraint", async () => {
    const { adapter, users } = memoryStore()
    const createUser: Adapter["createUser"] = (user) => {
      if ([...users.values()].some(({ email }) => email !== undefined && email === user.email))
        throw new Error("unique: email")
      return adapter.createUser?.(user) ?? user
    }
    const config = { adapter: { ...adapter, createUser } }
    const site = await createSite({ config, sessions: "jwt" })
    for (const sub of ["alice", "bob"]) {
      op.set({ user: { sub, name: sub, email: "" } })
      const browser = site.app.browser()
      await signIn(browser, op)
      expect(await sessionOf(browser)).toMatchObject({ user: { name: sub } })
    }
    expect([...users.values()].map(({ email }) => email)).toEqual([undefined, undefined])
  })

  it("ADV-21: a provider cannot set properties on Object.prototype", async () => {
    const poison = () => JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}')
    const add = (own: Claims): Claims => Object.defineProperties({ ...own }, Object.getOwnPropertyDescriptors(poison()))
    const mode = { claims: add, token: add, userinfo: add, discovery: add }
    const site = await createSite({ mode, providers: [op.oidc({ idToken: false })], sessions: "jwt" })
    const browser = site.app.browser()
    await signIn(browser, op)
    const session = await sessionOf(browser)
    expect(session).toMatchObject({ user: { name: "Alice" } })
    expect([Reflect.get({}, "isAdmin"), Reflect.get(Object(session?.user), "isAdmin")]).toEqual([undefined, undefined])
    const { user, account } = Object(site.events.find(({ name }) => name === "signIn")?.message)
    expect([user.isAdmin, account.isAdmin]).toEqual([undefined, undefined])
  })

  it("ADV-11: does not accept a token or cookie for another purpose as a session", async () => {
    const byPost = op.oidc({ id: "fp", authorization: { params: { response_mode: "form_post" } } })
    const site = await createSite({ providers: [op.oidc(), byPost], sessions: "jwt" })
    const browser = site.app.browser()
    await signIn(browser, op)
    const { account } = Object(site.events.find(({ name }) => name === "signIn")?.message)
    const { action, fields } = await op.authorizeByForm((await begin(browser, { id: "fp" })).location)
    const posted = await browser.post(action, fields, { from: op.issuer })
    await startAndApprove(browser, op)
    const [flow] = flowCookies(browser)
    const sealed = new URL(posted.location).searchParams.get("form_post")
    for (const value of [
      account.id_token,
      account.access_token,
      flow?.value,
      sealed,
      browser.cookie("authjs.csrf-token"),
    ]) {
      expect(value).toEqual(expect.any(String))
      const thief = site.app.browser()
      thief.setCookie(COOKIE, value)
      expect(await sessionOf(thief)).toBeNull()
    }
    expect(await sessionOf(browser)).not.toBeNull()
  })
})
