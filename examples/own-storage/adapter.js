import { createHash, randomUUID } from "node:crypto"

const hash = (token) => createHash("sha256").update(token).digest("hex")
const keyOf = ({ provider, providerAccountId }) => JSON.stringify([provider, providerAccountId])
const given = (row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))
const copy = (row) => (row ? structuredClone(row) : null)

/** @returns {import("latchkey/adapters").Adapter} */
export function TinyAdapter() {
  const [users, accounts, sessions, links] = [new Map(), new Map(), new Map(), new Map()]
  const byEmail = (email) => [...users.values()].find((user) => user.email === email)
  const save = (user) => {
    const other = user.email && byEmail(user.email)
    if (other && other.id !== user.id) throw new Error("another user has this address")
    users.set(user.id, given(user))
    return copy(users.get(user.id))
  }
  const requireUser = (id) => {
    if (!users.has(id)) throw new Error("there is no such user")
    return users.get(id)
  }
  return {
    createUser: async (user) => save({ ...user, id: randomUUID() }),
    getUser: async (id) => copy(users.get(id)),
    getUserByEmail: async (email) => copy(byEmail(email)),
    getUserByAccount: async (account) => copy(users.get(accounts.get(keyOf(account))?.userId)),
    async updateUser(user) {
      const before = requireUser(user.id)
      const resetsVerification = user.email !== undefined && user.email !== before.email
      return save({ ...before, ...(resetsVerification && { emailVerified: null }), ...given(user) })
    },
    async deleteUser(id) {
      users.delete(id)
      for (const rows of [accounts, sessions]) for (const [key, row] of rows) if (row.userId === id) rows.delete(key)
    },
    async linkAccount(account) {
      requireUser(account.userId)
      if (accounts.has(keyOf(account))) throw new Error("this account is already linked")
      accounts.set(keyOf(account), given(copy(account)))
    },
    async unlinkAccount(account) {
      accounts.delete(keyOf(account))
    },
    async createSession(session) {
      requireUser(session.userId)
      const { sessionToken, ...row } = copy(session)
      sessions.set(hash(sessionToken), row)
      return copy(session)
    },
    async getSessionAndUser(sessionToken) {
      const session = sessions.get(hash(sessionToken))
      return session ? copy({ session: { ...session, sessionToken }, user: users.get(session.userId) }) : null
    },
    async updateSession({ sessionToken, ...changed }) {
      const session = sessions.get(hash(sessionToken))
      if (!session) return null
      sessions.set(hash(sessionToken), { ...session, ...given(changed) })
      return { ...copy(sessions.get(hash(sessionToken))), sessionToken }
    },
    async deleteSession(sessionToken) {
      sessions.delete(hash(sessionToken))
    },
    async createVerificationToken(link) {
      links.set(JSON.stringify([link.identifier, link.token]), copy(link))
      return link
    },
    async useVerificationToken({ identifier, token }) {
      const key = JSON.stringify([identifier, token])
      const link = links.get(key)
      links.delete(key)
      return copy(link)
    },
  }
}
