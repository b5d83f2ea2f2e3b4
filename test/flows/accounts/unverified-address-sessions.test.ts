/** Sessions and flows that an attacker started with an address before or while its owner verifies it. */
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import type { JWT } from "../../../lib/jwt.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig } from "../../../lib/types.js"
import { describeServer } from "../../support/apps.js"
import { createPasskey } from "../../support/authenticator.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, errorOf, mailbox } from "../support/mail.js"
import { finish, optionsFor, register, startPasskeySite } from "../support/passkeys.js"
import { openCallback, sessionOf, signIn, startAndApprove } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const ADA = "ada@example.com"

/** A promise, and the function that resolves it. */
function signal() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

describeServer("An attacker who registered an address before its owner verifies it", "Auth()", (start) => {
  const mail = mailbox()

  /** A site on which an attacker has registered a passkey for Ada's address. */
  async function startSquatted(config: Partial<AuthConfig> = {}) {
    const site = await startPasskeySite(start, { providers: [Passkey, op.oidc(), mail.provider], ...config })
    const attacker = site.app.browser()
    await register(attacker, site.app.origin, { email: ADA })
    const store = config.adapter ?? site.adapter
    const user = await store.getUserByEmail?.(ADA)
    const accounts = async () => (await store.listAccountsByUserId?.(String(user?.id)))?.map(({ provider }) => provider)
    return { ...site, attacker, userId: String(user?.id), accounts, owner: site.app.browser() }
  }

  async function verify(owner: Browser) {
    await askForLink(owner, ADA)
    return owner.get(mail.linkTo(ADA))
  }

  const readEmail = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]

  const claimEve = () =>
    op.set({ claims: (claims) => ({ ...claims, sub: "eve", email: "eve@evil.test", email_verified: true }) })

  describe("with a JWT session without a record, which the verification cannot end", () => {
    const session = { strategy: "jwt", revocable: false } as const

    it("SEC-13: links no account after the verification, whether the flow started before or after it", async () => {
      const { attacker, owner, accounts } = await startSquatted({ session })
      claimEve()
      const back = await startAndApprove(attacker, op)
      await verify(owner)
      expect(errorOf(await openCallback(attacker, op, back))).toBe("OAuthAccountNotLinked")
      expect(errorOf(await signIn(attacker, op))).toBe("OAuthAccountNotLinked")
      expect(await accounts()).toEqual([])
    })

    it("SEC-13: registers no passkey after the verification, and cannot see the owner's passkeys", async () => {
      const { app, attacker, owner, accounts, userId, adapter } = await startSquatted({ session })
      const { options } = await optionsFor(attacker, { action: "register" })
      await verify(owner)
      await register(owner, app.origin)
      const { response } = createPasskey(options, { origin: app.origin })
      expect(errorOf(await finish(attacker, "register", response))).toBe("WebAuthnVerificationError")
      expect((await optionsFor(attacker, { action: "register" })).options).toBeUndefined()
      expect([await accounts(), (await adapter.listAuthenticatorsByUserId(userId)).length]).toEqual([["passkey"], 1])
      const listsPasskey = async (browser: Browser) =>
        (await (await browser.get("/auth/passkeys")).text()).includes('name="credentialID"')
      expect([await listsPasskey(owner), await listsPasskey(attacker)]).toEqual([true, false])
    })

    it("SEC-13: links no account after the session was renewed by a jwt callback that replaces the claims", async () => {
      const jwt = ({ token: { sub = "", email } }: { token: JWT }): JWT => ({ sub, email })
      const { attacker, owner, accounts } = await startSquatted({ session, callbacks: { jwt } })
      await sessionOf(attacker)
      await verify(owner)
      await sessionOf(attacker)
      claimEve()
      expect(errorOf(await signIn(attacker, op))).toBe("OAuthAccountNotLinked")
      expect(await accounts()).toEqual([])
    })

    it("does not limit the owner, who links accounts after a verification in the same browser and after the next sign-in", async () => {
      const { attacker: user, accounts } = await startSquatted({ session })
      const phone = user.clone()
      await verify(user)
      claimEve()
      await signIn(user, op)
      expect(await accounts()).toEqual(["passkey", "oidc"])
      const auth_time = Math.floor(Date.now() / 1000)
      op.set({ claims: (claims) => ({ ...claims, sub: "eve", email: "eve@evil.test", auth_time }) })
      await signIn(phone, op)
      expect(await readEmail(phone)).toBe(ADA)
      op.set({ claims: (claims) => ({ ...claims, sub: "second", email: "second@x.test" }) })
      await signIn(phone, op)
      expect(await accounts()).toEqual(["passkey", "oidc", "oidc"])
    })
  })

  describe("with a password", () => {
    /** A site whose application stores passwords. `authorize` waits for `state.held`. */
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
      "SEC-12: gets no session if the password was checked before the verification and the response comes after it (%s)",
      async (strategy) => {
        const { state, attacker, owner, signInAsEve } = await withPassword({ strategy, revocable: false })
        const release = signal()
        state.held = release.promise
        const answer = signInAsEve()
        await state.checked.promise
        await verify(owner)
        release.resolve()
        expect(errorOf(await answer)).toBe("OAuthAccountNotLinked")
        expect([await readEmail(owner), await sessionOf(attacker)]).toEqual([ADA, null])
      },
    )

    it("gets a session if the address was verified before the sign-in, or if the adapter does not know the user", async () => {
      const { adapter, user, attacker, signInAsEve } = await withPassword({ strategy: "jwt" })
      await adapter.updateUser({ id: user.id, emailVerified: new Date(Date.now() - 1) })
      await signInAsEve()
      expect(await readEmail(attacker)).toBe(ADA)
      await adapter.deleteUser(user.id)
      await signInAsEve()
      expect(await readEmail(attacker)).toBe(ADA)
    })

    it("gets no database session while the adapter cannot read the user", async () => {
      const { adapter, attacker, signInAsEve } = await withPassword({ strategy: "database" })
      adapter.getUser = async () => {
        throw new Error("the adapter's database is down")
      }
      expect(errorOf(await signInAsEve())).toBe("Configuration")
      expect(await sessionOf(attacker)).toBeNull()
    })

    it("SEC-12: if confirmEmailOwner fails, the address is not verified, and the next link calls it again", async () => {
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
      expect(errorOf(await verify(owner))).toBe("Configuration")
      expect([await sessionOf(owner), (await adapter.getUserByEmail(ADA))?.emailVerified]).toEqual([null, null])
      expect(records.at(-1)).toMatchObject({ level: "error", code: "EventError" })
      await signInAsEve()
      isDown = false
      await verify(owner)
      expect([state.password, await readEmail(owner), await sessionOf(attacker)]).toEqual([null, ADA, null])
    })
  })

  it("SEC-13: without transactions, an account that is linked just after the verification is unlinked again", async () => {
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
    const { attacker, accounts } = await startSquatted(config)
    const other = await startPasskeySite(start, { providers: [Passkey, op.oidc(), mail.provider], ...config })
    const owner = other.app.browser()
    claimEve()
    const linking = signIn(attacker, op)
    await reached.promise
    await verify(owner)
    expect(await readEmail(owner)).toBe(ADA)
    release.resolve()
    expect(errorOf(await linking)).toBe("OAuthAccountNotLinked")
    expect([await accounts(), await readEmail(owner), await sessionOf(attacker)]).toEqual([[], ADA, null])
  })
})
