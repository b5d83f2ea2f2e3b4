/**
 * ACC-05: an adapter that fails during a first sign-in leaves no partial data.
 *
 * @module
 */
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { describeServer } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, startMailSite } from "../support/mail.js"
import { type MemoryStore, memoryStore } from "../support/memory-adapter.js"
import { openCallback, sessionOf, startAndApprove } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const ALICE = "alice@example.com"

describeServer("ACC-05: an adapter that fails during a first sign-in", "Auth()", (start) => {
  const startSite = (over: (store: MemoryStore, adapter: Adapter) => Partial<Adapter>, store = memoryStore()) =>
    startMailSite(start, {
      store,
      isPlain: true,
      over: (adapter) => over(store, adapter),
      config: { providers: [op.oidc()] },
    })

  const signInByProvider = async (browser: Browser) => openCallback(browser, op, await startAndApprove(browser, op))
  const failing =
    (count: number) =>
    ({ linkAccount }: Adapter): Partial<Adapter> => {
      let left = count
      return {
        async linkAccount(account) {
          if (left-- > 0) throw new Error("the store is down")
          await linkAccount?.(account)
        },
      }
    }

  it("leaves no user behind, and the next attempt succeeds", async () => {
    const site = await startSite((_, adapter) => failing(1)(adapter))
    const browser = site.browser()
    expect((await signInByProvider(browser)).location).toContain("error=Configuration")
    expect([site.store.users.size, site.store.accounts, site.store.sessions.size]).toEqual([0, [], 0])
    expect(site.events).toEqual([])
    expect(site.failures()).toMatchObject([{ level: "error", code: "AdapterError" }])
    expect((await signInByProvider(browser)).location).toBe("http://app.test/")
    expect([site.store.users.size, site.store.accounts.length]).toEqual([1, 1])
  })

  it.each([
    ["nothing", async () => undefined],
    ["a user without an id", async (user: object) => ({ ...user, id: undefined })],
  ])("logs that createUser returned %s", async (_, createUser) => {
    const site = await startSite(() => ({ createUser }) as unknown as Partial<Adapter>)
    expect((await signInByProvider(site.browser())).location).toContain("error=Configuration")
    expect([site.store.accounts, site.store.sessions.size, site.events]).toEqual([[], 0, []])
    const err = { message: "adapter.createUser must return the stored user with its id" }
    expect(site.failures()).toMatchObject([{ level: "error", error: { cause: { err } } }])
  })

  it("leaves no user behind if deleteUser fails at first", async () => {
    let refusals = 2
    const site = await startSite((_, adapter) => ({
      ...failing(1)(adapter),
      async deleteUser(id) {
        if (refusals-- > 0) throw new Error("the store is still down")
        await adapter.deleteUser?.(id)
      },
    }))
    expect((await signInByProvider(site.browser())).location).toContain("error=Configuration")
    expect([site.store.users.size, refusals]).toEqual([0, -1])
  })

  it("leaves no user behind in a transaction, and does not call deleteUser", async () => {
    const adapter = MemoryAdapter()
    let fails = true
    const deleted: string[] = []
    const broken = (inner: Adapter): Adapter => ({
      ...inner,
      async linkAccount(account) {
        if (fails) throw new Error("the store is down")
        await inner.linkAccount?.(account)
      },
      async deleteUser(id) {
        deleted.push(id)
      },
    })
    const site = await startMailSite(start, {
      config: {
        providers: [op.oidc()],
        adapter: { ...broken(adapter), transaction: (work) => adapter.transaction((within) => work(broken(within))) },
      },
    })
    const browser = site.browser()
    expect((await signInByProvider(browser)).location).toContain("error=Configuration")
    expect([await adapter.getUserByEmail(ALICE), deleted]).toEqual([null, []])
    fails = false
    expect((await signInByProvider(browser)).location).toBe("http://app.test/")
    expect(await adapter.getUserByEmail(ALICE)).toMatchObject({ email: ALICE })
  })

  it("logs the original failure, not the failure of the cleanup", async () => {
    const site = await startSite((_, adapter) => ({
      ...failing(1)(adapter),
      async deleteUser() {
        throw new Error("another failure")
      },
    }))
    await signInByProvider(site.browser())
    expect(site.failures()).toHaveLength(1)
    expect(site.failures()[0]?.error?.cause).toMatchObject({ method: "linkAccount" })
  })

  it("lets the user request another link after createUser failed for a sign-in link", async () => {
    let fails = true
    const store = memoryStore()
    const site = await startMailSite(start, {
      store,
      over: ({ createUser }) => ({
        async createUser(user) {
          if (fails) throw new Error("the store is down")
          return (createUser as NonNullable<typeof createUser>)(user)
        },
      }),
    })
    const browser = site.browser()
    await askForLink(browser, ALICE)
    expect((await browser.get(site.mail.linkTo(ALICE))).location).toContain("error=Configuration")
    expect([store.users.size, site.events]).toEqual([0, []])
    fails = false
    await askForLink(browser, ALICE)
    await browser.get(site.mail.linkTo(ALICE))
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ALICE } })
  })
})
