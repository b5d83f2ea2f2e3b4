/** The owner of an address opens a link while an attacker adds sign-in methods to the user who has the address. */

import Passkey from "../../lib/providers/passkey.js"
import { guardProcess } from "../flows/support/guard.js"
import { askForLink, mailbox } from "../flows/support/mail.js"
import { register, signIn as signInByPasskey } from "../flows/support/passkeys.js"
import { openCallback, sessionOf, signIn, startAndApprove } from "../flows/support/site.js"
import { describeServer, type Start } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import { CROWD, eachRound, startRace, TIMEOUT_MS, times } from "./support/races.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

describeStores("SEC-13: first verification of an address", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    const mail = mailbox()

    const open = () =>
      startRace(start, {
        adapter: store.adapter,
        providers: [op.oidc(), mail.provider, Passkey],
        session: { strategy: "database" },
        experimental: { enableWebAuthn: true },
        maxAccountsPerUser: CROWD * 2,
        rateLimit: false,
      })

    /** Opens the link. On a busy machine the request may time out; the owner then requests another link. */
    async function openUntilSignedIn(owner: Browser, address: string) {
      for (let attempt = 1; attempt <= 3; attempt++) {
        if (attempt > 1) await askForLink(owner, address)
        await owner.get(mail.linkTo(address))
        if (await sessionOf(owner)) return
      }
    }

    /** Makes each provider sign-in return another account with a verified address of the attacker. */
    function signInAsAttacker() {
      let count = 0
      op.set({
        claims: (claims) => {
          const sub = `eve-${++count}-${Math.random()}`
          return { ...claims, sub, email: `${sub}@evil.test`, email_verified: true }
        },
      })
    }

    it(
      "removes accounts, passkeys and sessions that an attacker adds concurrently, across two processes",
      async () => {
        const race = await open()
        await eachRound(async (round) => {
          const address = `ada-${round}@example.com`
          const attacker = race.appOf(0).browser()
          const { passkey } = await register(attacker, race.appOf(0).origin, { email: address })
          const userId = String((await store.adapter.getUserByEmail(address))?.id)
          signInAsAttacker()
          const attempts = await Promise.all(
            times(CROWD, async (index) => {
              const browser = index % 2 === 0 ? attacker.clone() : race.appOf(index).browser()
              for (const { name, value } of attacker.cookies()) browser.setCookie(name, value)
              return { browser, back: await startAndApprove(browser, op) }
            }),
          )
          const owner = race.appOf(1).browser()
          await askForLink(owner, address)
          await Promise.all([
            ...attempts.slice(0, CROWD / 2).map(({ browser, back }) => openCallback(browser, op, back)),
            openUntilSignedIn(owner, address),
            ...attempts.slice(CROWD / 2).map(({ browser, back }) => openCallback(browser, op, back)),
            signInByPasskey(race.appOf(0).browser(), passkey, race.appOf(0).origin),
          ])
          expect(await sessionOf(owner)).toMatchObject({ user: { email: address } })
          expect(await store.adapter.listAccountsByUserId(userId)).toEqual([])
          expect(await store.adapter.listAuthenticatorsByUserId(userId)).toEqual([])
          const attackers = [attacker, ...attempts.map(({ browser }) => browser)]
          const addresses = await Promise.all(
            attackers.map(async (browser) => (await sessionOf(browser))?.user?.["email"]),
          )
          expect(addresses).not.toContain(address)
        })
      },
      TIMEOUT_MS,
    )

    it("gives an attacker who signs in concurrently no session with the address", async () => {
      const race = await open()
      const address = "ada@example.com"
      op.set({ claims: (claims) => ({ ...claims, email: address, email_verified: false }) })
      await signIn(race.appOf(0).browser(), op)
      const attempts = await Promise.all(
        times(CROWD, async (index) => {
          const browser = race.appOf(index).browser()
          return { browser, back: await startAndApprove(browser, op) }
        }),
      )
      const owner = race.appOf(1).browser()
      await askForLink(owner, address)
      await Promise.all([
        ...attempts.map(({ browser, back }) => openCallback(browser, op, back)),
        openUntilSignedIn(owner, address),
      ])
      const user = await store.adapter.getUserByEmail(address)
      const emails = await Promise.all(attempts.map(async ({ browser }) => (await sessionOf(browser))?.user?.["email"]))
      expect([await sessionOf(owner), user?.emailVerified]).toMatchObject([
        { user: { email: address } },
        expect.any(Date),
      ])
      expect(emails).not.toContain(address)
    })
  })
})
