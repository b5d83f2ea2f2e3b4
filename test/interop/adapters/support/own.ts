/**
 * Adapters like those that applications write: a class, and an adapter whose store has no type for dates.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import type {
  Adapter,
  AdapterAccount,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../../../../lib/adapters/adapter.js"
import { ADAPTER_METHODS } from "../../../../lib/adapters/bind.js"
import type { Kept, OpenAdapter, Published } from "./published.js"

/** Other ids are rejected with an error, as in databases that have a type for ids. */
const ID = /^\d+-[0-9a-f-]{36}$/

/** Methods of a base class, which need their `this`. */
class Rows {
  readonly users: AdapterUser[] = []
  readonly accounts: AdapterAccount[] = []
  readonly sessions: AdapterSession[] = []
  readonly links: VerificationToken[] = []

  async getUser(id: string): Promise<AdapterUser | null> {
    if (!ID.test(id)) throw new Error(`invalid input syntax for an id: "${id}"`)
    const found = this.users.find((user) => user.id === id)
    return found ? { ...found } : null
  }
  async getUserByEmail(email: string): Promise<AdapterUser | null> {
    const found = this.users.find((user) => user.email === email)
    return found ? { ...found } : null
  }
}

/** With private state, as `class PrismaAuthStore implements Adapter` would have it. */
class ClassAdapter extends Rows implements Adapter {
  #created = 0

  async createUser(user: AdapterUser): Promise<AdapterUser> {
    if (user.email && (await this.getUserByEmail(user.email))) throw new Error("UNIQUE constraint failed: users.email")
    this.#created++
    const created = { ...user, id: `${this.#created}-${randomUUID()}` }
    this.users.push(created)
    return { ...created }
  }
  async updateUser(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Promise<AdapterUser> {
    const found = this.users.find(({ id }) => id === user.id)
    if (!found) throw new Error("no such user")
    return { ...Object.assign(found, user) }
  }
  async deleteUser(id: string): Promise<void> {
    this.#remove(this.users, (user) => user.id === id)
    this.#remove(this.accounts, (account) => account.userId === id)
    this.#remove(this.sessions, (session) => session.userId === id)
  }
  async getUserByAccount(account: Pick<AdapterAccount, "provider" | "providerAccountId">): Promise<AdapterUser | null> {
    const found = this.#account(account)
    return found ? this.getUser(found.userId) : null
  }
  async linkAccount(account: AdapterAccount): Promise<void> {
    if (this.#account(account)) throw new Error("UNIQUE constraint failed: accounts")
    this.accounts.push({ ...account })
  }
  async createSession(session: AdapterSession): Promise<AdapterSession> {
    this.sessions.push({ ...session })
    return session
  }
  async getSessionAndUser(token: string): Promise<{ session: AdapterSession; user: AdapterUser } | null> {
    const session = this.sessions.find(({ sessionToken }) => sessionToken === token)
    const user = session && (await this.getUser(session.userId))
    return session && user ? { session: { ...session }, user } : null
  }
  async updateSession(change: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">): Promise<AdapterSession> {
    const found = this.sessions.find(({ sessionToken }) => sessionToken === change.sessionToken)
    if (!found) throw new Error("no such session")
    return { ...Object.assign(found, change) }
  }
  async deleteSession(token: string): Promise<void> {
    if (!this.#remove(this.sessions, ({ sessionToken }) => sessionToken === token)) throw new Error("no such session")
  }
  async createVerificationToken(link: VerificationToken): Promise<undefined> {
    this.links.push({ ...link })
  }
  async useVerificationToken({ identifier, token }: { identifier: string; token: string }) {
    return this.#remove(this.links, (link) => link.identifier === identifier && link.token === token) ?? null
  }

  #account({ provider, providerAccountId }: Pick<AdapterAccount, "provider" | "providerAccountId">) {
    return this.accounts.find((one) => one.provider === provider && one.providerAccountId === providerAccountId)
  }
  #remove<T>(rows: T[], matches: (row: T) => boolean): T | undefined {
    const index = rows.findIndex(matches)
    return index < 0 ? undefined : rows.splice(index, 1)[0]
  }
}

/** Converts results to JSON and back: dates become text, and members that are undefined disappear. */
function convertToJson(adapter: Adapter): Adapter {
  const methods = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    const call = async (...args: unknown[]): Promise<unknown> => {
      const given: unknown = await method.apply(adapter, args)
      return given === undefined ? undefined : JSON.parse(JSON.stringify(given))
    }
    return [[name, call] as const]
  })
  // The methods have the same names, but their results violate the types, as in careless adapters.
  return Object.fromEntries(methods) as Adapter
}

const copyRows = ({ users, accounts, sessions, links }: Rows): Kept => ({
  users: users.map((row) => ({ ...row })),
  accounts: accounts.map((row) => ({ ...row })),
  sessions: sessions.map((row) => ({ ...row })),
  links: links.map((row) => ({ ...row })),
})

function openRows(over: (adapter: Adapter) => Adapter): OpenAdapter {
  const rows = new ClassAdapter()
  return { adapter: over(rows), kept: async () => copyRows(rows), close: async () => {} }
}

const own = { isAtomic: true, isUnique: true, without: [] } as const

export const classBased: Published = { ...own, name: "a class", open: async () => openRows((adapter) => adapter) }

export const isoStrings: Published = {
  ...own,
  name: "an adapter that returns dates as text",
  open: async () => openRows(convertToJson),
}
