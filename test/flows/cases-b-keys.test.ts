import { compactVerify } from "jose"
import { describeServers } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { comeBack, goAndAgree, type SiteOptions, sessionOf, signIn, startSite } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

describeServers("what an id_token must be", (start, stage) => {
  const site = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("OID-19: takes an id_token without kid by the only key that there is", async () => {
    const { app } = await site({ mode: { jwksKid: "absent" } })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: "alice@example.com" } })
  })

  it("OID-21: takes a new key after a rotation, having fetched the JWKS once more", async () => {
    const { app } = await site()
    await signIn(app.browser(), op)
    const warm = op.count("/jwks")
    await op.rotateKeys()
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
    expect(op.count("/jwks") - warm).toBe(1)
    await signIn(app.browser(), op)
    expect(op.count("/jwks") - warm).toBe(1)
  })

  it("OID-21: takes it from all who come at once", async () => {
    const { app } = await site()
    await signIn(app.browser(), op)
    const warm = op.count("/jwks")
    await op.rotateKeys()
    const browsers = Array.from({ length: 6 }, () => app.browser())
    for (const page of await Promise.all(browsers.map((browser) => signIn(browser, op))))
      expect(page.location).not.toContain("error")
    expect(op.count("/jwks") - warm).toBe(1)
  })

  it("OID-22: takes a key that was changed while the person was at the provider", async () => {
    const { app } = await site()
    await signIn(app.browser(), op)
    const browser = app.browser()
    const back = await goAndAgree(browser, op)
    const warm = op.count("/jwks")
    await op.rotateKeys()
    await comeBack(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
    expect(op.count("/jwks") - warm).toBe(1)
  })

  it("OID-23: passes over keys in the JWKS that it does not understand", async () => {
    const strange = [
      { kty: "unheard-of", kid: "1" },
      { kty: "RSA", kid: "2" },
      { kty: "oct", k: "AAAA", kid: "3" },
      null,
      1,
    ]
    const { app } = await site({ mode: { jwks: ({ keys }) => ({ keys: [...strange, ...keys] }) } })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("takes tokens that jose verifies too", async () => {
    const { app, events } = await site()
    await signIn(app.browser(), op)
    const { account } = Object(events.find(({ name }) => name === "signIn")?.message)
    await expect(compactVerify(account.id_token, op.keys.rsa.publicKey)).resolves.toBeDefined()
  })
})
