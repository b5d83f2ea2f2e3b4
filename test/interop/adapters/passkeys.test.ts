/**
 * Passkeys on the Auth.js adapters that support them.
 *
 * @module
 */
import { guardProcess } from "../../flows/support/guard.js"
import { loggedLevels, optionsFor, register, signIn, startPasskeySite } from "../../flows/support/passkeys.js"
import { sessionOf } from "../../flows/support/site.js"
import { describeServer } from "../../support/apps.js"
import { describePublished, PUBLISHED } from "./support/describe.js"
import { newPerson } from "./support/site.js"

guardProcess()

const HAVE_PASSKEYS = PUBLISHED.filter(({ name }) => /drizzle|prisma|unstorage/i.test(name))

it("passkeys are tested on drizzle, prisma and unstorage", () => {
  expect(HAVE_PASSKEYS.length).toBeGreaterThan(3)
})

describeServer("Passkeys of published adapters", "Auth()", (start) => {
  describePublished(
    "a passkey",
    (_, opened) => {
      it("is registered, also as the second one of a user, and signs in", async () => {
        const { app, records } = await startPasskeySite(start, { adapter: opened().adapter })
        const { email } = newPerson()
        const browser = app.browser()
        const first = await register(browser, app.origin, { email })
        const second = await register(browser, app.origin)
        for (const { passkey } of [first, second]) {
          const later = app.browser()
          expect((await signIn(later, passkey, app.origin)).location).toBe(`${app.origin}/me`)
          expect(await sessionOf(later)).toMatchObject({ user: { email } })
        }
        const { options } = await optionsFor(browser, { action: "register" })
        expect(options.excludeCredentials.map(({ id }: { id: string }) => id).sort()).toEqual(
          [first.passkey.id, second.passkey.id].sort(),
        )
        expect(loggedLevels(records)).toEqual([])
      })

      it("is listed on its user's page, and a copy with an old counter is rejected", async () => {
        const { app, records } = await startPasskeySite(start, { adapter: opened().adapter })
        const browser = app.browser()
        const { passkey } = await register(browser, app.origin, { email: newPerson().email })
        const page = await browser.get("/auth/passkeys")
        expect([page.status, (await page.text()).includes("Your passkeys")]).toEqual([200, true])
        await signIn(app.browser(), passkey, app.origin, { counter: 5 })
        const thief = app.browser()
        await signIn(thief, passkey, app.origin, { counter: 5 })
        expect(await sessionOf(thief)).toBeNull()
        expect(loggedLevels(records)).toEqual([["warn", "WebAuthnVerificationError"]])
      })
    },
    HAVE_PASSKEYS,
  )
})
