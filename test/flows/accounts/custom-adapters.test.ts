import type { Adapter, AdapterSession, AdapterUser } from "../../../lib/adapters/adapter.js"
import { describeServer } from "../../support/apps.js"
import { guardProcess } from "../support/guard.js"
import { type MailSite, mailbox, signInByMail, startMailSite } from "../support/mail.js"
import { type MemoryStore, memoryStore } from "../support/memory-adapter.js"
import { sessionCookies, sessionOf, signIn } from "../support/site.js"
import { useProvider } from "../support/use-provider.js"

guardProcess()

const op = useProvider()

const ALICE = "alice@example.com"
const DAY = 86_400_000

/** An adapter with methods on a prototype and state in private fields. */
class OwnStore {
  readonly #store: MemoryStore
  constructor(store: MemoryStore) {
    this.#store = store
  }
  get #inner(): Required<Adapter> {
    return this.#store.adapter as Required<Adapter>
  }
  createUser(user: AdapterUser) {
    return this.#inner.createUser(user)
  }
  getUser(id: string) {
    return this.#inner.getUser(id)
  }
  /** An accessor that returns a function. */
  get getUserByEmail() {
    return (email: string) => this.#inner.getUserByEmail(email)
  }
  getUserByAccount(account: Parameters<Required<Adapter>["getUserByAccount"]>[0]) {
    return this.#inner.getUserByAccount(account)
  }
  updateUser(user: Parameters<Required<Adapter>["updateUser"]>[0]) {
    return this.#inner.updateUser(user)
  }
  linkAccount(account: Parameters<Required<Adapter>["linkAccount"]>[0]) {
    return this.#inner.linkAccount(account)
  }
}

/** An adapter with inherited methods. */
class SessionStore extends OwnStore {
  protected readonly rows = new Map<string, AdapterSession>()
  createSession(session: AdapterSession) {
    this.rows.set(session.sessionToken, session)
    return session
  }
  async getSessionAndUser(token: string) {
    const session = this.rows.get(token)
    const user = session && (await this.getUser(session.userId))
    return session && user ? { session, user } : null
  }
  updateSession(change: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">) {
    const session = this.rows.get(change.sessionToken)
    if (!session) return null
    this.rows.set(change.sessionToken, { ...session, ...change })
    return { ...session, ...change }
  }
  async deleteSession(token: string) {
    this.rows.delete(token)
  }
}
class InheritingStore extends SessionStore {
  readonly links: Required<Adapter>
  constructor(store: MemoryStore) {
    super(store)
    this.links = store.adapter as Required<Adapter>
  }
  createVerificationToken(link: Parameters<Required<Adapter>["createVerificationToken"]>[0]) {
    return this.links.createVerificationToken(link)
  }
  useVerificationToken(link: Parameters<Required<Adapter>["useVerificationToken"]>[0]) {
    return this.links.useVerificationToken(link)
  }
}

/** Uses numeric user ids. Like a database, it accepts them as strings too, and returns numbers. */
function withNumericIds(store: MemoryStore): Adapter {
  const users = new Map<number, AdapterUser>()
  const findUser = (id: unknown): AdapterUser | null => users.get(Number(id)) ?? null
  const findOwner = (provider: string, providerAccountId: string) =>
    store.accounts.find((account) => account.provider === provider && account.providerAccountId === providerAccountId)
      ?.userId
  const methods: Partial<Adapter> = {
    createUser(user) {
      const id = users.size + 1
      const stored = { ...user, id: id as unknown as string }
      users.set(id, stored)
      return stored
    },
    getUser: findUser,
    getUserByEmail: (email) => [...users.values()].find((user) => user.email === email) ?? null,
    getUserByAccount({ provider, providerAccountId }) {
      const id = findOwner(provider, providerAccountId)
      return id === undefined ? null : findUser(id)
    },
    updateUser(user) {
      const updated = { ...findUser(user.id), ...user } as AdapterUser
      users.set(Number(user.id), updated)
      return updated
    },
    getSessionAndUser(token) {
      const session = store.sessions.get(token)
      const user = session && findUser(session.userId)
      return session && user ? { session, user } : null
    },
  }
  // The users are not in the inner adapter, so its deleteUser would not find them.
  const { deleteUser: _, ...rest } = store.adapter
  return { ...rest, ...methods }
}

/** Converts dates to strings, like stores of JSON. */
const toJsonValue = <T>(value: T): T => JSON.parse(JSON.stringify(value ?? null))

const withTextDates = ({ adapter }: MemoryStore): Partial<Adapter> =>
  Object.fromEntries(
    Object.entries(adapter).map(([name, method]) => [
      name,
      async (...args: unknown[]) => toJsonValue(await (method as (...args: unknown[]) => unknown)(...args)),
    ]),
  )

const withoutResults = ({ adapter }: MemoryStore): Partial<Adapter> =>
  ({
    async updateUser(user: Parameters<Required<Adapter>["updateUser"]>[0]) {
      await adapter.updateUser?.(user)
    },
    async updateSession(session: Parameters<Required<Adapter>["updateSession"]>[0]) {
      await adapter.updateSession?.(session)
    },
    async createSession(session: AdapterSession) {
      await adapter.createSession?.(session)
    },
    async createVerificationToken(link: Parameters<Required<Adapter>["createVerificationToken"]>[0]) {
      await adapter.createVerificationToken?.(link)
    },
    async linkAccount(account: Parameters<Required<Adapter>["linkAccount"]>[0]) {
      await adapter.linkAccount?.(account)
    },
  }) as unknown as Partial<Adapter>

/** Returns undefined instead of null. */
const undefinedForNull = ({ adapter }: MemoryStore): Partial<Adapter> =>
  Object.fromEntries(
    Object.entries(adapter).map(([name, method]) => [
      name,
      async (...args: unknown[]) => (await (method as (...args: unknown[]) => unknown)(...args)) ?? undefined,
    ]),
  )

/** A row of an object mapper, whose columns are accessors of the class. */
class Row {
  readonly #values: Readonly<Record<string, unknown>>
  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }
  get id() {
    return this.#values["id"]
  }
  get name() {
    return this.#values["name"]
  }
  get email() {
    return this.#values["email"]
  }
  get emailVerified() {
    return this.#values["emailVerified"]
  }
  get image() {
    return this.#values["image"]
  }
}

/** createSession returns a table row with other column names. */
const withRawSessionRow = ({ adapter }: MemoryStore) =>
  ({
    async createSession(session: AdapterSession) {
      await adapter.createSession?.(session)
      return { token_hash: "hash", user_id: session.userId, expires_at: session.expires }
    },
  }) as unknown as Partial<Adapter>

/** updateUser returns an object without any user data. */
const withEmptyUpdateResult = ({ adapter }: MemoryStore) =>
  ({
    async updateUser(user: Parameters<Required<Adapter>["updateUser"]>[0]) {
      await adapter.updateUser?.(user)
      return { id: undefined, name: undefined, email: undefined, emailVerified: undefined, image: undefined }
    },
  }) as unknown as Partial<Adapter>

const USER_METHODS = ["createUser", "getUser", "getUserByEmail", "getUserByAccount", "updateUser"] as const

const withAccessorRows = ({ adapter }: MemoryStore): Partial<Adapter> =>
  Object.fromEntries(
    USER_METHODS.map((name) => [
      name,
      async (...args: unknown[]) => {
        const user = await (adapter[name] as (...args: unknown[]) => unknown)(...args)
        return user ? new Row(user as Record<string, unknown>) : null
      },
    ]),
  )

const ADAPTERS: [string, (store: MemoryStore) => Adapter][] = [
  [
    "is an instance of a class, with inherited methods, accessors and private fields",
    (store) => new InheritingStore(store),
  ],
  ["has numeric user ids", withNumericIds],
  ["returns dates as strings", (store) => ({ ...store.adapter, ...withTextDates(store) })],
  ["returns nothing from write methods", (store) => ({ ...store.adapter, ...withoutResults(store) })],
  ["returns undefined for missing rows", (store) => ({ ...store.adapter, ...undefinedForNull(store) })],
  ["returns rows with accessors of a class", (store) => ({ ...store.adapter, ...withAccessorRows(store) })],
  ["returns a raw row for a new session", (store) => ({ ...store.adapter, ...withRawSessionRow(store) })],
  ["returns an empty user after an update", (store) => ({ ...store.adapter, ...withEmptyUpdateResult(store) })],
  ["cannot delete users", ({ adapter: { deleteUser: _, ...rest } }) => rest],
  ["has a transaction method", ({ adapter }) => ({ ...adapter, transaction: async (work) => work({ ...adapter }) })],
]

describeServer("A custom adapter", "Auth()", (start) => {
  describe.each(ADAPTERS)("that %s", (_name, create) => {
    describe.each(["database", "jwt"] as const)("with %s sessions", (strategy) => {
      async function startSite(): Promise<MailSite> {
        const store = memoryStore()
        const mail = mailbox()
        const config = { adapter: create(store), session: { strategy }, providers: [op.oidc(), mail.provider] }
        return { ...(await startMailSite(start, { store, config })), mail }
      }

      it("supports repeated sign-ins by link, a sign-in as another user, and a sign-out", async () => {
        const site = await startSite()
        const browser = site.browser()
        for (const address of [ALICE, ALICE, "bob@example.com", ALICE]) {
          expect((await signInByMail(site, browser, address)).location).toBe("http://app.test/")
          expect(await sessionOf(browser)).toMatchObject({
            user: { email: address },
            expires: expect.stringMatching(/Z$/),
          })
        }
        expect(site.events.map(({ name }) => name).filter((name) => !/session|signIn/.test(name))).toEqual([
          "createUser",
          "updateUser",
          "createUser",
          "updateUser",
        ])
        await browser.post("/auth/signout", { csrfToken: await browser.csrf() })
        expect([await sessionOf(browser), site.failures()]).toEqual([null, []])
      })

      it("supports repeated sign-ins by a provider, and links a provider account to the current user", async () => {
        const site = await startSite()
        const browser = site.browser()
        for (let i = 0; i < 2; i++) {
          expect((await signIn(browser, op)).location).toBe("http://app.test/")
          expect(await sessionOf(browser)).toMatchObject({ user: { email: ALICE } })
        }
        expect(site.store.accounts).toHaveLength(1)
        op.set({ user: { sub: "bob", name: "Bob", email: "bob@example.com" } })
        const member = site.browser()
        await signInByMail(site, member, "carol@example.com")
        await signIn(member, op)
        expect(await sessionOf(member)).toMatchObject({ user: { email: "carol@example.com" } })
        expect([site.store.accounts.length, site.failures()]).toEqual([2, []])
      })

      it("extends a session, and ends it when it expires", async () => {
        const site = await startSite()
        const browser = site.browser()
        await signInByMail(site, browser, ALICE)
        site.time.now += 20 * DAY
        expect(await sessionOf(browser)).not.toBeNull()
        site.time.now += 20 * DAY
        expect(await sessionOf(browser)).not.toBeNull()
        site.time.now += 31 * DAY
        expect([await sessionOf(browser), sessionCookies(browser)]).toEqual([null, []])
        expect(site.failures()).toEqual([])
      })
    })
  })
})
