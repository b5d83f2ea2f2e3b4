/** What another person has opened or begun with an address, before or while its owner proves it for the first time. */
import type { Adapter } from "../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import type { JWT } from "../../lib/jwt.js"
import Credentials from "../../lib/providers/credentials.js"
import Passkey from "../../lib/providers/passkey.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServer } from "../support/apps.js"
import { createPasskey } from "../support/authenticator.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, errorOf, mailbox } from "./support/mail.js"
import { finish, optionsFor, register, startPasskeySite } from "./support/passkeys.js"
import { comeBack, goAndAgree, sessionOf, signIn } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const ADA = "ada@example.com"

/** A promise, and the function that resolves it. */
function signal() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

describeServer("Before the first proof of an address", "Auth()", (start) => {
  const mail = mailbox()

  /** A site on which an attacker has registered a passkey for Ada's address. */
  async function squatted(config: Partial<AuthConfig> = {}) {
    const site = await startPasskeySite(start, { providers: [Passkey, op.oidc(), mail.provider], ...config })
    const attacker = site.app.browser()
    await register(attacker, site.app.origin, { email: ADA })
    const store = config.adapter ?? site.adapter
    const user = await store.getUserByEmail?.(ADA)
    const accounts = async () => (await store.listAccountsByUserId?.(String(user?.id)))?.map(({ provider }) => provider)
    return { ...site, attacker, userId: String(user?.id), accounts, owner: site.app.browser() }
  }

  async function prove(owner: Browser) {
    await askForLink(owner, ADA)
    return owner.get(mail.linkTo(ADA))
  }

  const emailAt = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]

  const asEve = () =>
    op.set({ claims: (claims) => ({ ...claims, sub: "eve", email: "eve@evil.test", email_verified: true }) })

  describe("a session in a cookie, which the proof cannot end", () => {
    const session = { strategy: "jwt" } as const

    it("SEC-13: connects no account afterwards, whether the sign-in began before the proof or after it", async () => {
      const { attacker, owner, accounts } = await squatted({ session })
      asEve()
      const back = await goAndAgree(attacker, op)
      await prove(owner)
      expect(errorOf(await comeBack(attacker, op, back))).toBe("OAuthAccountNotLinked")
      expect(errorOf(await signIn(attacker, op))).toBe("OAuthAccountNotLinked")
      expect(await accounts()).toEqual([])
    })

    it("SEC-13: connects no passkey afterwards, and sees none of the owner's", async () => {
      const { app, attacker, owner, accounts, userId, adapter } = await squatted({ session })
      const { options } = await optionsFor(attacker, { action: "register" })
      await prove(owner)
      await register(owner, app.origin)
      const { response } = createPasskey(options, { origin: app.origin })
      expect(errorOf(await finish(attacker, "register", response))).toBe("WebAuthnVerificationError")
      expect((await optionsFor(attacker, { action: "register" })).options).toBeUndefined()
      expect([await accounts(), (await adapter.listAuthenticatorsByUserId(userId)).length]).toEqual([["passkey"], 1])
      expect(await (await attacker.get("/auth/passkeys")).text()).not.toContain("/auth/passkeys/delete")
    })

    it("SEC-13: is still what it was after renewals, and with claims that the application replaces", async () => {
      const jwt = ({ token: { sub = "", email } }: { token: JWT }): JWT => ({ sub, email })
      const { attacker, owner, accounts } = await squatted({ session, callbacks: { jwt } })
      await sessionOf(attacker)
      await prove(owner)
      await sessionOf(attacker)
      asEve()
      expect(errorOf(await signIn(attacker, op))).toBe("OAuthAccountNotLinked")
      expect(await accounts()).toEqual([])
    })

    it("connects accounts before the proof, after a proof in its own browser, and after the next sign-in", async () => {
      const { app, attacker: user, accounts } = await squatted({ session })
      const phone = user.clone()
      await prove(user)
      asEve()
      await signIn(user, op)
      expect(await accounts()).toEqual(["passkey", "oidc"])
      await signIn(phone, op)
      expect(await emailAt(phone)).toBe(ADA)
      op.set({ claims: (claims) => ({ ...claims, sub: "second", email: "second@x.test" }) })
      await signIn(phone, op)
      expect(await accounts()).toEqual(["passkey", "oidc", "oidc"])
      expect(await emailAt(app.browser())).toBeUndefined()
    })
  })

  describe("a password", () => {
    /** A site whose application keeps passwords; `authorize` and the event can be held up. */
    async function withPassword(session: AuthConfig["session"], events: AuthConfig["events"] = {}) {
      const adapter = MemoryAdapter()
      const user = await adapter.createUser({ id: "", email: ADA, emailVerified: null })
      const state = { password: "eve's" as string | null, checked: signal(), held: Promise.resolve() }
      const password = Credentials({
        credentials: { password: { type: "password" } },
        async authorize(given) {
          if (state.password === null || given["password"] !== state.password) return null
          state.checked.resolve()
          await state.held
          return { id: user.id, email: ADA }
        },
      })
      const clear = () => {
        state.password = null
      }
      const site = await startPasskeySite(start, {
        ...{ adapter, session, providers: [password, mail.provider] },
        events: { confirmEmailOwner: clear, ...events },
      })
      const attacker = site.app.browser()
      const signInAsEve = async () =>
        attacker.post("/auth/callback/credentials", { csrfToken: await attacker.csrf(), password: "eve's" })
      return { ...site, adapter, state, user, attacker, clear, signInAsEve, owner: site.app.browser() }
    }

    it.each(["jwt", "database"] as const)(
      "SEC-12: that was checked before the proof opens no session after it (%s)",
      async (strategy) => {
        const { state, attacker, owner, signInAsEve } = await withPassword({ strategy })
        const release = signal()
        state.held = release.promise
        const answer = signInAsEve()
        await state.checked.promise
        await prove(owner)
        release.resolve()
        expect(errorOf(await answer)).toBe("OAuthAccountNotLinked")
        expect([await emailAt(owner), await sessionOf(attacker)]).toEqual([ADA, null])
      },
    )

    it("opens a session in the same moment as a proof of another time, and for users of the application alone", async () => {
      const { adapter, user, attacker, signInAsEve } = await withPassword({ strategy: "jwt" })
      await adapter.updateUser({ id: user.id, emailVerified: new Date(Date.now() - 1) })
      await signInAsEve()
      expect(await emailAt(attacker)).toBe(ADA)
      await adapter.deleteUser(user.id)
      await signInAsEve()
      expect(await emailAt(attacker)).toBe(ADA)
    })

    it("SEC-12: survives no handler that fails: the address is not proved, and the next link calls it again", async () => {
      let isDown = true
      const { adapter, state, owner, attacker, signInAsEve, records, clear } = await withPassword(
        { strategy: "database" },
        {
          confirmEmailOwner() {
            if (isDown) throw new Error("the application's database is down")
            clear()
          },
        },
      )
      await signInAsEve()
      expect(errorOf(await prove(owner))).toBe("Configuration")
      expect([await sessionOf(owner), (await adapter.getUserByEmail(ADA))?.emailVerified]).toEqual([null, null])
      expect(records.at(-1)).toMatchObject({ level: "error", code: "EventError" })
      await signInAsEve()
      isDown = false
      await prove(owner)
      expect([state.password, await emailAt(owner), await sessionOf(attacker)]).toEqual([null, ADA, null])
    })
  })

  it("SEC-13: an account that a store without transactions links after the proof is unlinked again", async () => {
    const { transaction: _, lockUser: __, ...plain } = MemoryAdapter()
    const reached = signal()
    const release = signal()
    const adapter: Adapter = {
      ...plain,
      async linkAccount(account) {
        if (account.provider === "oidc") {
          reached.resolve()
          await release.promise
        }
        await plain.linkAccount(account)
      },
    }
    // Two processes, which share no mutex.
    const config = { adapter, session: { strategy: "database" } } as const
    const { attacker, accounts } = await squatted(config)
    const other = await startPasskeySite(start, { providers: [Passkey, op.oidc(), mail.provider], ...config })
    const owner = other.app.browser()
    asEve()
    const linking = signIn(attacker, op)
    await reached.promise
    await prove(owner)
    expect(await emailAt(owner)).toBe(ADA)
    release.resolve()
    expect(errorOf(await linking)).toBe("OAuthAccountNotLinked")
    expect([await accounts(), await emailAt(owner), await sessionOf(attacker)]).toEqual([[], ADA, null])
  })
})
