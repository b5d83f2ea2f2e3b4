import { setTimeout as pause } from "node:timers/promises"
import type { Adapter } from "../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { describeServer, type Start } from "../support/apps.js"
import type { Browser } from "../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, type MailSite, mailbox, startMailSite } from "./support/mail.js"
import { type MemoryStore, memoryStore, uniqueKeys } from "./support/memory-adapter.js"
import { comeBack, goAndAgree, named, sessionOf } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const ALICE = "alice@example.com"
const CROWD = 20
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

type Methods = Required<Pick<Adapter, "createUser" | "linkAccount" | "updateUser" | "getUserByEmail">>

/** Every write takes its time, so that others come between a look and what follows from it. */
const slowly =
  (ms: number, over: (store: MemoryStore) => Partial<Adapter> = () => ({})) =>
  (store: MemoryStore) =>
  (adapter: Adapter): Partial<Adapter> => {
    const methods = { ...adapter, ...over(store) } as Methods
    const late =
      <A extends unknown[], R>(run: (...args: A) => R) =>
      async (...args: A) => {
        await pause(ms)
        return run(...args)
      }
    return {
      ...over(store),
      createUser: late(methods.createUser),
      linkAccount: late(methods.linkAccount),
      updateUser: late(methods.updateUser),
    } as Partial<Adapter>
  }

interface Kind {
  readonly name: string
  /** How many processes serve: they share the store and nothing else. */
  readonly processes: number
  readonly over: (store: MemoryStore) => (adapter: Adapter) => Partial<Adapter>
}

const KINDS: Kind[] = [
  { name: "one process, on a store without unique keys", processes: 1, over: slowly(30) },
  { name: "one process, on a store with unique keys", processes: 1, over: slowly(30, uniqueKeys) },
  { name: "two processes, on a store with unique keys", processes: 2, over: slowly(30, uniqueKeys) },
  {
    name: "two processes, on a store with unique keys that can't delete users",
    processes: 2,
    // As if it were not there.
    over: (store) => (adapter) =>
      ({ ...slowly(30, uniqueKeys)(store)(adapter), deleteUser: undefined }) as unknown as Partial<Adapter>,
  },
]

describeServer("ACC-06: first sign-ins of one person at the same moment", "Auth()", (start: Start) => {
  async function processes({ processes: count, over }: Kind): Promise<{ sites: MailSite[]; store: MemoryStore }> {
    const store = memoryStore()
    const providers = [op.oidc(), named(op.oidc({ allowDangerousEmailAccountLinking: true }), "second")]
    const open = async () => {
      const mail = mailbox()
      const config = { providers: [...providers, mail.provider], rateLimit: false as const }
      return { ...(await startMailSite(start, { store, isPlain: true, over: over(store), config })), mail }
    }
    return { store, sites: await Promise.all(times(count, open)) }
  }

  const whoIs = async (browser: Browser) => (await sessionOf(browser))?.user?.["email"]
  const eventsOf = (sites: MailSite[]) =>
    sites
      .flatMap(({ events }) => events.map(({ name }) => name))
      .filter((name) => name !== "session" && name !== "signIn")
      .sort()

  describe.each(KINDS)("in $name", (kind) => {
    it(`make one user and one account by a provider, ${CROWD} at once`, async () => {
      const { sites, store } = await processes(kind)
      const browsers = times(CROWD, (i) => (sites[i % sites.length] as MailSite).browser())
      const answers = await Promise.all(browsers.map((browser) => goAndAgree(browser, op)))
      const pages = await Promise.all(browsers.map((browser, i) => comeBack(browser, op, answers[i] ?? "")))
      expect(pages.map(({ location }) => location)).toEqual(times(CROWD, () => "http://app.test/"))
      expect(await Promise.all(browsers.map(whoIs))).toEqual(times(CROWD, () => ALICE))
      expect([store.users.size, store.accounts.length]).toEqual([1, 1])
      expect(eventsOf(sites)).toEqual(["createUser", "linkAccount"])
    })

    it(`make one user by links, ${CROWD} at once`, async () => {
      const { sites, store } = await processes(kind)
      const opened = []
      for (const i of times(CROWD, (n) => n)) {
        const site = sites[i % sites.length] as MailSite
        const browser = site.browser()
        await askForLink(browser, ALICE)
        opened.push({ browser, link: site.mail.linkTo(ALICE) })
      }
      await Promise.all(opened.map(({ browser, link }) => browser.get(link)))
      expect(await Promise.all(opened.map(({ browser }) => whoIs(browser)))).toEqual(times(CROWD, () => ALICE))
      expect([store.users.size, store.links]).toEqual([1, []])
      expect(eventsOf(sites)).toEqual(["createUser", ...times(CROWD - 1, () => "updateUser")])
    })

    it("make one user by a provider and a link, and nobody gets an account that is not proved to be theirs", async () => {
      for (const flag of ["oidc", "second"] as const) {
        const { sites, store } = await processes(kind)
        const [one, two] = [sites[0] as MailSite, sites.at(-1) as MailSite]
        const [byProvider, byMail] = [one.browser(), two.browser()]
        op.set({ claims: (claims) => ({ ...claims, email_verified: true }) })
        const answer = await goAndAgree(byProvider, op, { id: flag })
        await askForLink(byMail, ALICE)
        const [page] = await Promise.all([comeBack(byProvider, op, answer), byMail.get(two.mail.linkTo(ALICE))])
        expect(await whoIs(byMail)).toBe(ALICE)
        expect(store.users.size).toBe(1)
        // Whoever came second found a user; without the flag that is no reason to link.
        const signedIn = (await whoIs(byProvider)) === ALICE
        expect(signedIn || page.location.includes("error=OAuthAccountNotLinked")).toBe(true)
        expect(store.accounts).toHaveLength(signedIn ? 1 : 0)
      }
    })
  })

  it(`make one user on a store with transactions, ${CROWD} at once, in two processes`, async () => {
    const adapter = MemoryAdapter()
    const open = () => startMailSite(start, { over: () => adapter, config: { providers: [op.oidc()], adapter } })
    const sites = [await open(), await open()]
    const browsers = times(CROWD, (i) => (sites[i % 2] as MailSite).browser())
    const answers = await Promise.all(browsers.map((browser) => goAndAgree(browser, op)))
    await Promise.all(browsers.map((browser, i) => comeBack(browser, op, answers[i] ?? "")))
    expect(await Promise.all(browsers.map(whoIs))).toEqual(times(CROWD, () => ALICE))
    const user = await adapter.getUserByEmail(ALICE)
    expect(await adapter.listAccountsByUserId(user?.id ?? "")).toHaveLength(1)
    expect(eventsOf(sites)).toEqual(["createUser", "linkAccount"])
  })

  it("know somebody whom another process creates between the look for the account and the one for the address", async () => {
    const adapter = MemoryAdapter()
    let looks = 0
    /** The other process begins and ends just after this one has looked. */
    const getUserByAccount: Adapter["getUserByAccount"] = async (account) => {
      const found = await adapter.getUserByAccount(account)
      if (++looks !== 1) return found
      const user = await adapter.createUser({ id: "", email: ALICE, emailVerified: null })
      await adapter.linkAccount({ ...account, type: "oidc", userId: user.id })
      return found
    }
    const config = { providers: [op.oidc()], adapter: { ...adapter, getUserByAccount } }
    const site = await startMailSite(start, { config })
    const browser = site.browser()
    await comeBack(browser, op, await goAndAgree(browser, op))
    expect(await whoIs(browser)).toBe(ALICE)
    const user = await adapter.getUserByEmail(ALICE)
    expect(await adapter.listAccountsByUserId(user?.id ?? "")).toHaveLength(1)
  })

  it("ACC-06: know somebody whom another process has created, and links a moment after the look", async () => {
    const store = memoryStore()
    const user = await store.adapter.createUser?.({ id: "", email: ALICE, emailVerified: null })
    let account: Parameters<Required<Adapter>["getUserByAccount"]>[0] | undefined
    const linkLater = async () => {
      await pause(10)
      if (account) await store.adapter.linkAccount?.({ ...account, type: "oidc", userId: user?.id ?? "" })
    }
    const over: Partial<Adapter> = {
      getUserByAccount: (asked) => {
        account = asked
        return store.adapter.getUserByAccount?.(asked) ?? null
      },
      getUserByEmail: async (email) => {
        if (account && store.accounts.length === 0) void linkLater()
        return store.adapter.getUserByEmail?.(email) ?? null
      },
    }
    const options = { store, isPlain: true, over: () => over, config: { providers: [op.oidc()] } }
    const site = await startMailSite(start, options)
    const browser = site.browser()
    await comeBack(browser, op, await goAndAgree(browser, op))
    expect(await whoIs(browser)).toBe(ALICE)
    expect([store.users.size, store.accounts.length]).toEqual([1, 1])
  })

  it("wait for nobody else", async () => {
    const { sites, store } = await processes({ name: "", processes: 1, over: slowly(200) })
    const [site] = sites as [MailSite]
    const opened = await Promise.all(
      times(10, async (i) => {
        const browser = site.browser()
        await askForLink(browser, `person-${i}@example.com`)
        return { browser, link: site.mail.linkTo(`person-${i}@example.com`) }
      }),
    )
    const startedAt = performance.now()
    await Promise.all(opened.map(({ browser, link }) => browser.get(link)))
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    expect(store.users.size).toBe(10)
  })
})
