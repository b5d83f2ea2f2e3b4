import { compactVerify } from "jose"
import { describeServers } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { openCallback, type SiteOptions, sessionOf, signIn, startAndApprove, startSite } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

describeServers("signing keys of the issuer", (start, stage) => {
  const createSite = (options?: SiteOptions) => startSite({ start, stage, op }, options)

  it("OID-19: accepts an id_token without kid if the JWKS has a single matching key", async () => {
    const { app } = await createSite({ mode: { jwksKid: "absent" } })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { email: "alice@example.com" } })
  })

  it("OID-21: accepts a new key after a rotation, with one new fetch of the JWKS", async () => {
    const { app } = await createSite()
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

  it("OID-21: fetches the JWKS once for concurrent sign-ins after a rotation", async () => {
    const { app } = await createSite()
    await signIn(app.browser(), op)
    const warm = op.count("/jwks")
    await op.rotateKeys()
    const browsers = Array.from({ length: 6 }, () => app.browser())
    for (const page of await Promise.all(browsers.map((browser) => signIn(browser, op))))
      expect(page.location).not.toContain("error")
    expect(op.count("/jwks") - warm).toBe(1)
  })

  it("OID-22: accepts a key that was rotated while the user was at the provider", async () => {
    const { app } = await createSite()
    await signIn(app.browser(), op)
    const browser = app.browser()
    const back = await startAndApprove(browser, op)
    const warm = op.count("/jwks")
    await op.rotateKeys()
    await openCallback(browser, op, back)
    expect(await sessionOf(browser)).not.toBeNull()
    expect(op.count("/jwks") - warm).toBe(1)
  })

  it("OID-23: ignores unsupported keys in the JWKS", async () => {
    const strange = [
      { kty: "unheard-of", kid: "1" },
      { kty: "RSA", kid: "2" },
      { kty: "oct", k: "AAAA", kid: "3" },
      null,
      1,
    ]
    const { app } = await createSite({ mode: { jwks: ({ keys }) => ({ keys: [...strange, ...keys] }) } })
    const browser = app.browser()
    await signIn(browser, op)
    expect(await sessionOf(browser)).not.toBeNull()
  })

  it("accepts id_tokens that the jose library verifies too", async () => {
    const { app, events } = await createSite()
    await signIn(app.browser(), op)
    const { account } = Object(events.find(({ name }) => name === "signIn")?.message)
    await expect(compactVerify(account.id_token, op.keys.rsa.publicKey)).resolves.toBeDefined()
  })
})
