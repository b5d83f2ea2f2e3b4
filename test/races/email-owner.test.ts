/** The owner of an address opens a link while a stranger, whose user has the address, connects accounts to that user. */

import Passkey from "../../lib/providers/passkey.js"
import { guardProcess } from "../flows/support/guard.js"
import { askForLink, mailbox } from "../flows/support/mail.js"
import { register, signIn as signInByPasskey } from "../flows/support/passkeys.js"
import { comeBack, goAndAgree, sessionOf, signIn } from "../flows/support/site.js"
import { describeServer, type Start } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { describeStores, type OpenStore, type Store } from "../support/stores.js"
import { CROWD, eachRound, PATIENCE_MS, racetrack, times } from "./support/races.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
afterAll(() => op.close())

describeStores("SEC-13: the first proof of an address", (kind: Store) => {
  describeServer(kind.name, "Express 5", (start: Start) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await kind.create()
    })
    afterEach(() => store.close())

    const mail = mailbox()

    const open = () =>
      racetrack(start, {
        adapter: store.adapter,
        providers: [op.oidc(), mail.provider, Passkey],
        session: { strategy: "database" },
        experimental: { enableWebAuthn: true },
        maxAccountsPerUser: CROWD * 2,
        rateLimit: false,
      })

    /** Opens the link. On a busy machine the request may run out of time: then the owner asks for another link. */
    async function openUntilSignedIn(owner: Browser, address: string) {
      for (let attempt = 1; attempt <= 3; attempt++) {
        if (attempt > 1) await askForLink(owner, address)
        await owner.get(mail.linkTo(address))
        if (await sessionOf(owner)) return
      }
    }

    /** Each sign-in at the provider is of another account, whose address is verified and is the stranger's. */
    function asStranger() {
      let count = 0
      op.set({
        claims: (claims) => {
          const sub = `eve-${++count}-${Math.random()}`
          return { ...claims, sub, email: `${sub}@evil.test`, email_verified: true }
        },
      })
    }

    it(
      "leaves the stranger no account, passkey or session, in two processes",
      async () => {
        const track = await open()
        await eachRound(async (round) => {
          const address = `ada-${round}@example.com`
          const stranger = track.appOf(0).browser()
          const { passkey } = await register(stranger, track.appOf(0).origin, { email: address })
          const userId = String((await store.adapter.getUserByEmail(address))?.id)
          asStranger()
          const attempts = await Promise.all(
            times(CROWD, async (index) => {
              const browser = index % 2 === 0 ? stranger.clone() : track.appOf(index).browser()
              for (const { name, value } of stranger.cookies()) browser.setCookie(name, value)
              return { browser, back: await goAndAgree(browser, op) }
            }),
          )
          const owner = track.appOf(1).browser()
          await askForLink(owner, address)
          await Promise.all([
            ...attempts.slice(0, CROWD / 2).map(({ browser, back }) => comeBack(browser, op, back)),
            openUntilSignedIn(owner, address),
            ...attempts.slice(CROWD / 2).map(({ browser, back }) => comeBack(browser, op, back)),
            signInByPasskey(track.appOf(0).browser(), passkey, track.appOf(0).origin),
          ])
          expect(await sessionOf(owner)).toMatchObject({ user: { email: address } })
          expect(await store.adapter.listAccountsByUserId(userId)).toEqual([])
          expect(await store.adapter.listAuthenticatorsByUserId(userId)).toEqual([])
          const strangers = [stranger, ...attempts.map(({ browser }) => browser)]
          const addresses = await Promise.all(strangers.map(async (one) => (await sessionOf(one))?.user?.["email"]))
          expect(addresses).not.toContain(address)
        })
      },
      PATIENCE_MS,
    )

    it("leaves a stranger who signs in at the same moment without a session", async () => {
      const track = await open()
      const address = "ada@example.com"
      op.set({ claims: (claims) => ({ ...claims, email: address, email_verified: false }) })
      await signIn(track.appOf(0).browser(), op)
      const attempts = await Promise.all(
        times(CROWD, async (index) => {
          const browser = track.appOf(index).browser()
          return { browser, back: await goAndAgree(browser, op) }
        }),
      )
      const owner = track.appOf(1).browser()
      await askForLink(owner, address)
      await Promise.all([
        ...attempts.map(({ browser, back }) => comeBack(browser, op, back)),
        openUntilSignedIn(owner, address),
      ])
      const user = await store.adapter.getUserByEmail(address)
      const whose = await Promise.all(attempts.map(async ({ browser }) => (await sessionOf(browser))?.user?.["email"]))
      expect([await sessionOf(owner), user?.emailVerified]).toMatchObject([
        { user: { email: address } },
        expect.any(Date),
      ])
      expect(whose).not.toContain(address)
    })
  })
})
