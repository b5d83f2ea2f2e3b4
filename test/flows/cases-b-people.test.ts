/**
 * Who somebody is here, whatever providers say: other shapes of OID-51, and seals that are for something else.
 *
 * @module
 */
import type { Adapter } from "../../lib/adapters/adapter.js"
import { describeServers, shapesOn } from "../support/apps.js"
import { type Claims, type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { memoryStore } from "./support/memory-adapter.js"
import {
  begin,
  flowCookies,
  goAndAgree,
  named,
  type SiteOptions,
  sessionOf,
  signIn,
  startSite,
} from "./support/site.js"

guardProcess()

let op: FaultyProvider
let other: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
  other = await startFaultyProvider({ clientId: "latchkey-elsewhere" })
})
beforeEach(() => {
  op.reset()
  other.reset()
})
afterAll(() => Promise.all([op.close(), other.close()]))

const COOKIE = "authjs.session-token"

describeServers("who somebody is", (start, stage) => {
  const rows = shapesOn(stage)
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("OID-51: lets no provider say whose account it is here", async () => {
    const told: Claims[] = []
    const callbacks = {
      signIn: ({ account }: { account?: object | null }) => told.push({ ...account }) > 0,
    }
    const one = await site({
      providers: [op.oidc(), named(other.oidc(), "b")],
      sessions: "database",
      config: { callbacks },
    })
    await signIn(one.app.browser(), op)
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
    const browser = one.app.browser()
    await signIn(browser, other, { id: "b" })
    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Mallory" } })
    expect(told[1]).toMatchObject({ provider: "b", providerAccountId: "mallory", type: "oidc" })
    expect(told[1]).not.toHaveProperty("userId")
    expect(one.store?.accounts.map(({ provider, userId }) => [provider, userId])).toEqual([
      ["oidc", "user-1"],
      ["b", "user-2"],
    ])
  })

  it.each(
    rows([
      ["the Kelvin sign", "\u212Aim@example.com", "kim@example.com"],
      ["the \u00c5ngstr\u00f6m sign", "\u212Bsa@example.com", "\u00e5sa@example.com"],
      ["a dotted capital I", "al\u0130ce@example.com", "alice@example.com"],
      ["letters of full width", "\uff41lice@example.com", "alice@example.com"],
    ]),
  )("OID-51: makes no other address of one with %s, not where addresses link either", async (_, asked, victims) => {
    const linking = { allowDangerousEmailAccountLinking: true }
    const providers = [op.oidc(linking), named(other.oidc(linking), "b")]
    const one = await site({ providers, sessions: "database" })
    op.set({ user: { sub: "alice", name: "Alice", email: victims.toUpperCase(), email_verified: true } })
    await signIn(one.app.browser(), op)
    other.set({ user: { sub: "mallory", name: "Mallory", email: asked, email_verified: true } })
    const browser = one.app.browser()
    await signIn(browser, other, { id: "b" })
    expect([...(one.store?.users.values() ?? [])].map(({ email }) => email)[0]).toBe(victims)
    expect(await sessionOf(browser)).not.toMatchObject({ user: { email: victims } })
    expect(one.store?.accounts.filter(({ userId }) => userId === "user-1")).toHaveLength(1)
  })

  it("OID-51: takes an address that the application made small for no proved one, where that made it another", async () => {
    const profile = (claims: Claims) => ({ id: String(claims["sub"]), email: String(claims["email"]).toLowerCase() })
    const linking = { allowDangerousEmailAccountLinking: true, profile }
    const one = await site({ providers: [op.oidc(linking), named(other.oidc(linking), "b")], sessions: "database" })
    op.set({ user: { sub: "kim", email: "kim@example.com", email_verified: true } })
    await signIn(one.app.browser(), op)
    other.set({ user: { sub: "mallory", email: "\u212Aim@example.com", email_verified: true } })
    const page = await signIn(one.app.browser(), other, { id: "b" })
    expect(new URL(page.location).searchParams.get("error")).toBe("OAuthAccountNotLinked")
    expect([one.store?.users.size, one.store?.accounts.length]).toEqual([1, 1])
    // One in other letters that are the same is proved.
    other.set({ user: { sub: "kim at b", email: "KIM@Example.com", email_verified: true } })
    await signIn(one.app.browser(), other, { id: "b" })
    expect([one.store?.users.size, one.store?.accounts.length]).toEqual([1, 2])
  })

  it("FLT-06: takes an empty address for none: two people who have none are two, where addresses are unique too", async () => {
    const { adapter, users } = memoryStore()
    const createUser: Adapter["createUser"] = (user) => {
      if ([...users.values()].some(({ email }) => email !== undefined && email === user.email))
        throw new Error("unique: email")
      return adapter.createUser?.(user) ?? user
    }
    const config = { adapter: { ...adapter, createUser } }
    const one = await site({ config, sessions: "jwt" })
    for (const sub of ["alice", "bob"]) {
      op.set({ user: { sub, name: sub, email: "" } })
      const browser = one.app.browser()
      await signIn(browser, op)
      expect(await sessionOf(browser)).toMatchObject({ user: { name: sub } })
    }
    expect([...users.values()].map(({ email }) => email)).toEqual([undefined, undefined])
  })

  it("ADV-21: takes nothing on the prototype of all objects from a provider", async () => {
    const poison = () => JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}')
    const add = (own: Claims): Claims => Object.defineProperties({ ...own }, Object.getOwnPropertyDescriptors(poison()))
    const mode = { claims: add, token: add, userinfo: add, discovery: add }
    const one = await site({ mode, providers: [op.oidc({ idToken: false })], sessions: "jwt" })
    const browser = one.app.browser()
    await signIn(browser, op)
    const session = await sessionOf(browser)
    expect(session).toMatchObject({ user: { name: "Alice" } })
    expect([Reflect.get({}, "isAdmin"), Reflect.get(Object(session?.user), "isAdmin")]).toEqual([undefined, undefined])
    const { user, account } = Object(one.events.find(({ name }) => name === "signIn")?.message)
    expect([user.isAdmin, account.isAdmin]).toEqual([undefined, undefined])
  })

  it("ADV-11: takes nothing for a session that was sealed or signed for something else", async () => {
    const posts = op.oidc({ id: "fp", authorization: { params: { response_mode: "form_post" } } })
    const one = await site({ providers: [op.oidc(), posts], sessions: "jwt" })
    const browser = one.app.browser()
    await signIn(browser, op)
    const { account } = Object(one.events.find(({ name }) => name === "signIn")?.message)
    const { action, fields } = await op.authorizeByForm((await begin(browser, { id: "fp" })).location)
    const posted = await browser.post(action, fields, { from: op.issuer })
    await goAndAgree(browser, op)
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
      const thief = one.app.browser()
      thief.setCookie(COOKIE, value)
      expect(await sessionOf(thief)).toBeNull()
    }
    expect(await sessionOf(browser)).not.toBeNull()
  })
})
