import type { Adapter, AdapterAccount, AdapterSession, AdapterUser, VerificationToken } from "@auth/core/adapters"

/** The calls in order, with the names of their arguments. */
export type Journal = string[]

const describeArgument = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `{${Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name]) => name)
        .sort()
        .join(", ")}}`
    : typeof value

/** Records each call of an object's functions. */
export function recordCalls<T extends object>(functions: T, journal: Journal, prefix = ""): T {
  const entries = Object.entries(functions).map(([name, value]) => {
    if (typeof value !== "function") return [name, value]
    return [
      name,
      (...args: unknown[]) => {
        journal.push(`${prefix}${name}(${args.map(describeArgument).join(", ")})`)
        return value(...args)
      },
    ]
  })
  // The same names with functions of the same parameters.
  return Object.fromEntries(entries) as T
}

export interface Store {
  readonly users: AdapterUser[]
  readonly accounts: AdapterAccount[]
  readonly sessions: AdapterSession[]
  readonly links: VerificationToken[]
  readonly adapter: Adapter
}

/** A minimal in-memory store. */
export function createStore(journal: Journal): Store {
  const users: AdapterUser[] = []
  const accounts: AdapterAccount[] = []
  const sessions: AdapterSession[] = []
  const links: VerificationToken[] = []
  const findUser = (id: string | undefined) => users.find((user) => user.id === id) ?? null
  const adapter: Adapter = {
    async createUser(user) {
      const created = { ...user, id: `user-${users.length + 1}` }
      users.push(created)
      return { ...created }
    },
    async getUser(id) {
      return findUser(id)
    },
    async getUserByEmail(email) {
      return users.find((user) => user.email === email) ?? null
    },
    async getUserByAccount({ provider, providerAccountId }) {
      const found = accounts.find((one) => one.provider === provider && one.providerAccountId === providerAccountId)
      return findUser(found?.userId)
    },
    async updateUser(user) {
      const found = findUser(user.id)
      if (!found) throw new Error("there is no such user")
      return Object.assign(found, user)
    },
    async linkAccount(account) {
      accounts.push({ ...account })
      return account
    },
    async createSession(session) {
      sessions.push({ ...session })
      return session
    },
    async getSessionAndUser(sessionToken) {
      const session = sessions.find((one) => one.sessionToken === sessionToken)
      const user = findUser(session?.userId)
      return session && user ? { session: { ...session }, user: { ...user } } : null
    },
    async updateSession(session) {
      const found = sessions.find((one) => one.sessionToken === session.sessionToken)
      return found ? Object.assign(found, session) : null
    },
    async deleteSession(sessionToken) {
      const index = sessions.findIndex((one) => one.sessionToken === sessionToken)
      return index < 0 ? null : (sessions.splice(index, 1)[0] ?? null)
    },
    async createVerificationToken(link) {
      links.push({ ...link })
      return link
    },
    async useVerificationToken({ identifier, token }) {
      // A link may lack its address; the token identifies it then.
      const index = links.findIndex((one) => one.token === token && (identifier ?? one.identifier) === one.identifier)
      return index < 0 ? null : (links.splice(index, 1)[0] ?? null)
    },
  }
  return { users, accounts, sessions, links, adapter: recordCalls(adapter, journal, "store.") }
}
