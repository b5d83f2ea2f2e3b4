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

/** A store that forgets everything with the test. */
export function memoryStore(): MemoryStore {
  const users: MemoryStore["users"] = new Map()
  const accounts: MemoryStore["accounts"] = []
  const sessions: MemoryStore["sessions"] = new Map()
  const links: MemoryStore["links"] = []
  const userOf = (id: string | undefined) => (id === undefined ? null : (users.get(id) ?? null))
  const adapter: Adapter = {
    createUser(user) {
      const created = { ...user, id: `user-${users.size + 1}` }
      users.set(created.id, created)
      return created
    },
    getUser: userOf,
    getUserByEmail: (email) => [...users.values()].find((user) => user.email === email) ?? null,
    getUserByAccount: ({ provider, providerAccountId }) =>
      userOf(accounts.find((a) => a.provider === provider && a.providerAccountId === providerAccountId)?.userId),
    updateUser(user) {
      const updated = { ...userOf(user.id), ...user } as AdapterUser
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
      const user = userOf(session?.userId)
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
