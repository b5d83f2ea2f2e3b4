import type {
  Adapter,
  AdapterAccount,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../../../lib/adapters/adapter.js"

export interface MemoryStore {
  adapter: Adapter
  users: Map<string, AdapterUser>
  accounts: AdapterAccount[]
  sessions: Map<string, AdapterSession>
  links: VerificationToken[]
}

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">

/** An adapter in memory with the interface of Auth.js and without unique keys. */
export function memoryStore(): MemoryStore {
  const users: MemoryStore["users"] = new Map()
  const accounts: MemoryStore["accounts"] = []
  const sessions: MemoryStore["sessions"] = new Map()
  const links: MemoryStore["links"] = []
  let created = 0
  const findUser = (id: string | undefined) => (id === undefined ? null : (users.get(id) ?? null))
  const isSameAccount = (key: AccountKey) => (account: AccountKey) =>
    account.provider === key.provider && account.providerAccountId === key.providerAccountId
  const adapter: Adapter = {
    createUser(user) {
      const stored = { ...user, id: `user-${++created}` }
      users.set(stored.id, stored)
      return stored
    },
    getUser: findUser,
    getUserByEmail: (email) => [...users.values()].find((user) => user.email === email) ?? null,
    getUserByAccount: (account) => findUser(accounts.find(isSameAccount(account))?.userId),
    updateUser(user) {
      const updated = { ...findUser(user.id), ...user } as AdapterUser
      users.set(user.id, updated)
      return updated
    },
    async linkAccount(account) {
      accounts.push(account)
    },
    createSession(session) {
      sessions.set(session.sessionToken, session)
      return session
    },
    getSessionAndUser(token) {
      const session = sessions.get(token)
      const user = findUser(session?.userId)
      return session && user ? { session, user } : null
    },
    updateSession(change) {
      const session = sessions.get(change.sessionToken)
      if (session) sessions.set(change.sessionToken, { ...session, ...change })
      return null
    },
    createVerificationToken(link) {
      links.push(link)
      return link
    },
    useVerificationToken({ identifier, token }) {
      const at = links.findIndex((link) => link.identifier === identifier && link.token === token)
      return at === -1 ? null : (links.splice(at, 1)[0] ?? null)
    },
    async deleteSession(token) {
      sessions.delete(token)
    },
    async deleteUser(id) {
      users.delete(id)
      for (const { sessionToken, userId } of [...sessions.values()]) if (userId === id) sessions.delete(sessionToken)
    },
  }
  return { adapter, users, accounts, sessions, links }
}

/** The methods of latchkey's adapters that the interface of Auth.js lacks, except transactions. */
export function ownMethods({ accounts, sessions, links }: MemoryStore): Partial<Adapter> {
  const removeFrom = <T>(list: T[], isGone: (item: T) => boolean) => {
    for (let i = list.length - 1; i >= 0; i--) if (isGone(list[i] as T)) list.splice(i, 1)
  }
  return {
    async deleteVerificationTokens(identifier) {
      removeFrom(links, (link) => link.identifier === identifier)
    },
    listAccountsByUserId: (id) => accounts.filter(({ userId }) => userId === id),
    unlinkAccount: async ({ provider, providerAccountId }) =>
      removeFrom(
        accounts,
        (account) => account.provider === provider && account.providerAccountId === providerAccountId,
      ),
    async deleteSessionsByUserId(id) {
      for (const { sessionToken, userId } of [...sessions.values()]) if (userId === id) sessions.delete(sessionToken)
    },
  }
}

/** Enforces unique keys: one user per email address, and one user per account. */
export const uniqueKeys = ({ adapter, accounts }: MemoryStore): Partial<Adapter> => ({
  async createUser(user) {
    if (user.email && (await adapter.getUserByEmail?.(user.email))) throw new Error("UNIQUE users.email")
    return (adapter as Required<Adapter>).createUser(user)
  },
  async linkAccount(account) {
    const { provider, providerAccountId } = account
    if (accounts.some((stored) => stored.provider === provider && stored.providerAccountId === providerAccountId))
      throw new Error("UNIQUE accounts")
    accounts.push(account)
  },
})
