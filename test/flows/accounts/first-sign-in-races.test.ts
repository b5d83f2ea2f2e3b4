import { setTimeout as pause } from "node:timers/promises"
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { describeServer, type Start } from "../../support/apps.js"
import type { Browser } from "../../support/browser.js"
import { guardProcess } from "../support/guard.js"
import { askForLink, type MailSite, mailbox, startMailSite } from "../support/mail.js"
import { type MemoryStore, memoryStore, uniqueKeys } from "../support/memory-adapter.js"
import { named, openCallback, sessionOf, startAndApprove } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const ALICE = "alice@example.com"
const CROWD = 20
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

type Methods = Required<Pick<Adapter, "createUser" | "linkAccount" | "updateUser" | "getUserByEmail">>

/** Delays every write, so that other sign-ins run between a read and the write that follows it. */
const withSlowWrites =
  (ms: number, over: (store: MemoryStore) => Partial<Adapter> = () => ({})) =>
  (store: MemoryStore) =>
  (adapter: Adapter): Partial<Adapter> => {
    const methods = { ...adapter, ...over(store) } as Methods
    const delayed =
      <A extends unknown[], R>(run: (...args: A) => R) =>
      async (...args: A) => {
        await pause(ms)
        return run(...args)
      }
    return {
      ...over(store),
      createUser: delayed(methods.createUser),
      linkAccount: delayed(methods.linkAccount),
      updateUser: delayed(methods.updateUser),
    } as Partial<Adapter>
  }

interface Kind {
  readonly name: string
  /** The number of processes, which share only the store. */
  readonly processes: number
  readonly over: (store: MemoryStore) => (adapter: Adapter) => Partial<Adapter>
}

const KINDS: Kind[] = [
  { name: "one process with an adapter without unique keys", processes: 1, over: withSlowWrites(30) },
  { name: "one process with an adapter with unique keys", processes: 1, over: withSlowWrites(30, uniqueKeys) },
  { name: "two processes with an adapter with unique keys", processes: 2, over: withSlowWrites(30, uniqueKeys) },
  {
    name: "two processes with an adapter with unique keys and without deleteUser",
    processes: 2,
    // Removes the method.
    over: (store) => (adapter) =>
      ({ ...withSlowWrites(30, uniqueKeys)(store)(adapter), deleteUser: undefined }) as unknown as Partial<Adapter>,
  },
]

describeServer("ACC-06: concurrent first sign-ins of one user", "Auth()", (start: Start) => {
  async function startProcesses({ processes: count, over }: Kind): Promise<{ sites: MailSite[]; store: MemoryStore }> {
    const store = memoryStore()
    const providers = [op.oidc(), named(op.oidc({ allowDangerousEmailAccountLinking: true }), "second")]
    const open = async () => {
      const mail = mailbox()
      const config = { providers: [...providers, mail.provider], rateLimit: false as const }
      return { ...(await startMailSite(start, { store, isPlain: true, over: over(store), config })), mail }
    }
    return { store, sites: await Promise.all(times(count, open)) }
  }

  const readEmail = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]
  const listEvents = (sites: MailSite[]) =>
    sites
      .flatMap(({ events }) => events.map(({ name }) => name))
      .filter((name) => name !== "session" && name !== "signIn")
      .sort()

  describe.each(KINDS)("in $name", (kind) => {
    it(`create one user and one account for ${CROWD} sign-ins by a provider`, async () => {
      const { sites, store } = await startProcesses(kind)
      const browsers = times(CROWD, (i) => (sites[i % sites.length] as MailSite).browser())
      const answers = await Promise.all(browsers.map((browser) => startAndApprove(browser, op)))
      const pages = await Promise.all(browsers.map((browser, i) => openCallback(browser, op, answers[i] ?? "")))
      expect(pages.map(({ location }) => location)).toEqual(times(CROWD, () => "http://app.test/"))
      expect(await Promise.all(browsers.map(readEmail))).toEqual(times(CROWD, () => ALICE))
      expect([store.users.size, store.accounts.length]).toEqual([1, 1])
      expect(listEvents(sites)).toEqual(["createUser", "linkAccount"])
    })

    it(`create one user for ${CROWD} sign-ins by link`, async () => {
      const { sites, store } = await startProcesses(kind)
      const opened = []
      for (const i of times(CROWD, (n) => n)) {
        const site = sites[i % sites.length] as MailSite
        const browser = site.browser()
        await askForLink(browser, ALICE)
        opened.push({ browser, link: site.mail.linkTo(ALICE) })
      }
      await Promise.all(opened.map(({ browser, link }) => browser.get(link)))
      expect(await Promise.all(opened.map(({ browser }) => readEmail(browser)))).toEqual(times(CROWD, () => ALICE))
      expect([store.users.size, store.links]).toEqual([1, []])
      expect(listEvents(sites)).toEqual(["createUser", ...times(CROWD - 1, () => "updateUser")])
    })

    it("create one user for a provider and a link, and either link the account or refuse the sign-in by the provider", async () => {
      for (const id of ["oidc", "second"] as const) {
        const { sites, store } = await startProcesses(kind)
        const [one, two] = [sites[0] as MailSite, sites.at(-1) as MailSite]
        const [providerBrowser, linkBrowser] = [one.browser(), two.browser()]
        op.set({ claims: (claims) => ({ ...claims, email_verified: true }) })
        const answer = await startAndApprove(providerBrowser, op, { id })
        await askForLink(linkBrowser, ALICE)
        const [page] = await Promise.all([
          openCallback(providerBrowser, op, answer),
          linkBrowser.get(two.mail.linkTo(ALICE)),
        ])
        expect(await readEmail(linkBrowser)).toBe(ALICE)
        expect(store.users.size).toBe(1)
        // The later sign-in finds the user of the earlier one. Either outcome is possible, because the order varies.
        const signedIn = (await readEmail(providerBrowser)) === ALICE
        expect(signedIn || page.location.includes("error=OAuthAccountNotLinked")).toBe(true)
        expect(store.accounts).toHaveLength(signedIn ? 1 : 0)
      }
    })
  })

  it(`create one user for ${CROWD} sign-ins in two processes with transactions`, async () => {
    const adapter = MemoryAdapter()
    const open = () => startMailSite(start, { over: () => adapter, config: { providers: [op.oidc()], adapter } })
    const sites = [await open(), await open()]
    const browsers = times(CROWD, (i) => (sites[i % 2] as MailSite).browser())
    const answers = await Promise.all(browsers.map((browser) => startAndApprove(browser, op)))
    await Promise.all(browsers.map((browser, i) => openCallback(browser, op, answers[i] ?? "")))
    expect(await Promise.all(browsers.map(readEmail))).toEqual(times(CROWD, () => ALICE))
    const user = await adapter.getUserByEmail(ALICE)
    expect(await adapter.listAccountsByUserId(user?.id ?? "")).toHaveLength(1)
    expect(listEvents(sites)).toEqual(["createUser", "linkAccount"])
  })

  it("use the user that another process creates between the account lookup and the email lookup", async () => {
    const adapter = MemoryAdapter()
    let lookups = 0
    /** The other process creates the user and the account right after this lookup. */
    const getUserByAccount: Adapter["getUserByAccount"] = async (account) => {
      const found = await adapter.getUserByAccount(account)
      if (++lookups !== 1) return found
      const user = await adapter.createUser({ id: "", email: ALICE, emailVerified: null })
      await adapter.linkAccount({ ...account, type: "oidc", userId: user.id })
      return found
    }
    const config = { providers: [op.oidc()], adapter: { ...adapter, getUserByAccount } }
    const site = await startMailSite(start, { config })
    const browser = site.browser()
    await openCallback(browser, op, await startAndApprove(browser, op))
    expect(await readEmail(browser)).toBe(ALICE)
    const user = await adapter.getUserByEmail(ALICE)
    expect(await adapter.listAccountsByUserId(user?.id ?? "")).toHaveLength(1)
  })

  it("ACC-06: use the user of another process that links the account after this process has looked for it", async () => {
    const store = memoryStore()
    const user = await store.adapter.createUser?.({ id: "", email: ALICE, emailVerified: null })
    let account: Parameters<Required<Adapter>["getUserByAccount"]>[0] | undefined
    const linkLater = async () => {
      await pause(10)
      if (account) await store.adapter.linkAccount?.({ ...account, type: "oidc", userId: user?.id ?? "" })
    }
    const over: Partial<Adapter> = {
      getUserByAccount: (key) => {
        account = key
        return store.adapter.getUserByAccount?.(key) ?? null
      },
      getUserByEmail: async (email) => {
        if (account && store.accounts.length === 0) void linkLater()
        return store.adapter.getUserByEmail?.(email) ?? null
      },
    }
    const options = { store, isPlain: true, over: () => over, config: { providers: [op.oidc()] } }
    const site = await startMailSite(start, options)
    const browser = site.browser()
    await openCallback(browser, op, await startAndApprove(browser, op))
    expect(await readEmail(browser)).toBe(ALICE)
    expect([store.users.size, store.accounts.length]).toEqual([1, 1])
  })

  it("do not wait for sign-ins of other users", async () => {
    const { sites, store } = await startProcesses({ name: "", processes: 1, over: withSlowWrites(200) })
    const [site] = sites as [MailSite]
    const opened = await Promise.all(
      times(10, async (i) => {
        const browser = site.browser()
        await askForLink(browser, `user-${i}@example.com`)
        return { browser, link: site.mail.linkTo(`user-${i}@example.com`) }
      }),
    )
    const startedAt = performance.now()
    await Promise.all(opened.map(({ browser, link }) => browser.get(link)))
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    expect(store.users.size).toBe(10)
  })
})
