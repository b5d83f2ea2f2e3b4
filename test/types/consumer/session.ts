/**
 * Compiled only, as a project of its own: an adapter of somebody's own and a session that was extended as the
 * documentation of Auth.js has it, under the compiler options that most applications have.
 *
 * @module
 */
import type { Adapter as AuthjsAdapter } from "@auth/core/adapters"
import type { AuthConfig, DefaultSession, Session } from "latchkey"
import type { Adapter, AdapterUser } from "latchkey/adapters"

/** What `declare module { interface Session { user: … } }` makes of it, without changing it for everybody here. */
interface OwnSession extends Session {
  user: { address: string } & DefaultSession["user"]
}

const users: AdapterUser[] = []
const own: Adapter = {
  async createUser(user) {
    users.push(user)
    return user
  },
  getUser: (id) => users.find((user) => user.id === id) ?? null,
  async deleteUser(id) {
    users.splice(
      users.findIndex((user) => user.id === id),
      1,
    )
  },
  async linkAccount(account) {
    return account
  },
  async unlinkAccount() {},
}

export const theirs: AuthjsAdapter = own

export const config: AuthConfig = {
  providers: [],
  adapter: own,
  callbacks: {
    session({ session, user }): OwnSession {
      return { ...session, user: { name: user.name, address: "12 St James's Square" } }
    },
  },
}
