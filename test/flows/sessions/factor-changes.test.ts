/** The other sessions of a user end when the ways to sign in change (ASVS 5.0 7.4.3). */
import { changeEmail, listSessions } from "../../../lib/index.js"
import Passkey from "../../../lib/providers/passkey.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer, recordingLogger, TEST_SECRET } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { until } from "../../support/wait.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, mailbox } from "../support/mail.js"
import { register, signIn as signInByPasskey, startPasskeySite } from "../support/passkeys.js"
import { sessionOf, signIn } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()
const ADA = "ada@example.com"

/** A store that can fail to end the sessions of a user. */
function unreliableStore() {
  const memory = MemoryStore()
  const control = { isFailing: false, store: memory }
  const set: typeof memory.set = async (kind, ...rest) => {
    if (control.isFailing && kind === "session-cutoff") throw new Error("the connection was lost")
    return memory.set(kind, ...rest)
  }
  control.store = { ...memory, set }
  return control
}

describe.each(["jwt", "database"] as const)("with %s sessions", (strategy) => {
  describeServer("the other sessions of the user", "Express 5", (start) => {
    /** Signs the user in with two browsers, by an email link. */
    async function twoBrowsers(session: AuthConfig["session"] = {}) {
      const mail = mailbox()
      const providers = [Passkey, mail.provider, op.oidc()]
      const unreliable = unreliableStore()
      const { store } = unreliable
      const site = await startPasskeySite(start, { providers, store, session: { strategy, ...session } })
      const signInUser = async () => {
        const browser = site.app.browser()
        await askForLink(browser, ADA)
        await browser.get(mail.linkTo(ADA))
        return browser
      }
      const [here, there] = [await signInUser(), await signInUser()]
      const user = await site.adapter.getUserByEmail(ADA)
      expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([true, true])
      return { ...site, unreliable, store, here, there, id: user?.id ?? "" }
    }

    const isSignedIn = async (browser: Browser): Promise<boolean> => (await sessionOf(browser)) !== null
    const config = ({ adapter, store }: Pick<AuthConfig, "adapter" | "store">): AuthConfig => ({
      adapter,
      store,
      providers: [],
      secret: TEST_SECRET,
      logger: recordingLogger().logger,
      session: { strategy },
    })

    it("end when an account is connected, and the current one continues", async () => {
      const { here, there, id, ...site } = await twoBrowsers()
      await signIn(here, op)
      expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([true, false])
      expect(await listSessions(config(site), id)).toMatchObject([{ method: "email" }])
      // The next sign-in with the account connects nothing.
      const other = here.clone()
      await signIn(here, op)
      expect([await isSignedIn(here), await isSignedIn(other)]).toEqual([true, false])
    })

    it("end when a passkey is added, and when it is removed", async () => {
      const { app, here, there } = await twoBrowsers()
      const { passkey } = await register(here, app.origin)
      expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([true, false])
      await signInByPasskey(there, passkey, app.origin)
      expect(await isSignedIn(there)).toBe(true)
      const page = await (await here.get("/auth/passkeys")).text()
      const credentialID = /name="credentialID" value="([^"]+)"/.exec(page)?.[1] ?? ""
      await here.post("/auth/passkeys", { csrfToken: await here.csrf(), do: "rename", credentialID, name: "Phone" })
      expect(await isSignedIn(there)).toBe(true)
      await here.post("/auth/passkeys", { csrfToken: await here.csrf(), do: "remove", credentialID })
      expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([true, false])
    })

    it("end when the user connects the account again after the store failed to end them", async () => {
      const { here, there, adapter, id, unreliable } = await twoBrowsers()
      unreliable.isFailing = true
      expect((await signIn(here, op)).location).toContain("error=")
      expect(await adapter.listAccountsByUserId(id)).toHaveLength(0)
      unreliable.isFailing = false
      await signIn(here, op)
      expect(await adapter.listAccountsByUserId(id)).toHaveLength(1)
      expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([true, false])
    })

    it("end when the user removes the passkey again after the store failed to end them", async () => {
      const { app, here, there, adapter, id, unreliable } = await twoBrowsers()
      const { passkey } = await register(here, app.origin)
      await signInByPasskey(there, passkey, app.origin)
      const [stored] = await adapter.listAuthenticatorsByUserId(id)
      const remove = async () => {
        const fields = { csrfToken: await here.csrf(), do: "remove", credentialID: stored?.credentialID ?? "" }
        return (await here.post("/auth/passkeys", fields)).location
      }
      unreliable.isFailing = true
      expect(await remove()).toContain("error=")
      expect(await adapter.listAuthenticatorsByUserId(id)).toHaveLength(1)
      unreliable.isFailing = false
      expect(await remove()).toMatch(/\/auth\/passkeys$/)
      expect(await adapter.listAuthenticatorsByUserId(id)).toHaveLength(0)
      expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([true, false])
    })

    it("end when changeEmail changes the address, except the given one", async () => {
      const { here, there, id, ...site } = await twoBrowsers()
      const states = async () => [await isSignedIn(here.clone()), await isSignedIn(there.clone())]
      const sessions = await listSessions(config(site), id)
      await changeEmail(config(site), id, "eve@example.com", { except: sessions[0]?.id })
      // The test's configuration is another object, with a runtime like that of another process.
      await until(async () => (await states()).filter(Boolean).length === 1, 1_500)
      await changeEmail(config(site), id, "ada2@example.com")
      await until(async () => (await states()).filter(Boolean).length === 0, 1_500)
    })

    it("continue with session.keepOnFactorChange", async () => {
      const { app, here, there } = await twoBrowsers({ keepOnFactorChange: true })
      await register(here, app.origin)
      await signIn(here, op)
      expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([true, true])
    })
  })
})
