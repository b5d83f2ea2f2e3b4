import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../../../../lib/adapters/adapter.js"
import { type Defect, mapped, refusing, tick } from "./defect.js"

const accountKey = ({ provider, providerAccountId }: Pick<AdapterAccount, "provider" | "providerAccountId">) =>
  `${provider}:${providerAccountId}`

/** Defects in allowed rows and their writes; each breaks exactly one guarantee. */
export const BROKEN_ROWS: readonly Defect[] = [
  {
    name: "moves an address to the last user who requests it",
    guarantee: "unique-email",
    foundBy: [
      "createUser rejects a second user with the same address",
      "updateUser rejects the address of another user",
      "createUser creates one user in 20 concurrent calls with the same address",
    ],
    change(good) {
      // The previous owner gets another value, so that the next one can use it.
      const take = async <T>(email: string, write: () => T | PromiseLike<T>): Promise<T> => {
        try {
          return await write()
        } catch {
          const other = await good.getUserByEmail(email)
          if (other) await good.updateUser({ id: other.id, email: `${other.email}.${other.id}` })
          return take(email, write)
        }
      }
      return {
        createUser: (user: AdapterUser) => take(user.email, () => good.createUser(user)),
        updateUser: async (user: AdapterUser) =>
          (await good.getUser(user.id)) ? take(user.email, () => good.updateUser(user)) : good.updateUser(user),
      }
    },
  },
  {
    name: "moves an account to the last user who links it",
    guarantee: "unique-account",
    foundBy: [
      "linkAccount rejects an account that is already linked",
      "linkAccount succeeds for one of 20 concurrent calls with the same account",
      "transaction rolls back all writes when one of them is rejected",
    ],
    change: (good) => ({
      async linkAccount(account: AdapterAccount) {
        await tick()
        const [, linked] = await Promise.all([good.unlinkAccount(account), good.linkAccount(account)])
        return linked
      },
    }),
  },
  {
    name: "ignores null in an update of an account",
    foundBy: ["updateAccount removes the members that are null"],
    change: (good) => ({
      updateAccount: (account: AdapterAccount) =>
        good.updateAccount(mapped(account, (_, value) => value ?? undefined) as AdapterAccount),
    }),
  },
  {
    name: "updates an account of another user",
    foundBy: ["updateAccount changes no account of another user, and adds none"],
    change: (good) => ({
      async updateAccount(account: AdapterAccount) {
        const owner = await good.getUserByAccount(account)
        return good.updateAccount({ ...account, userId: owner?.id ?? account.userId })
      },
    }),
  },
  {
    name: "updates the members of an account in separate steps",
    foundBy: ["updateAccount keeps the tokens of one sign-in together in 50 concurrent calls"],
    change: (good) => ({
      async updateAccount({ access_token, refresh_token, ...account }: AdapterAccount) {
        await good.updateAccount({ ...account, ...(access_token !== undefined && { access_token }) })
        // Later calls finish their second half earlier.
        const turns = refresh_token?.startsWith("r ") ? 50 - Number(refresh_token.slice(2)) : 1
        for (let turn = 0; turn < turns; turn++) await tick()
        return good.updateAccount({ ...account, ...(refresh_token !== undefined && { refresh_token }) })
      },
    }),
  },
  {
    name: "accepts a passkey twice",
    guarantee: "unique-passkey",
    foundBy: ["createAuthenticator rejects a credential id that is taken"],
    change: (good) => ({
      createAuthenticator: async (passkey: AdapterAuthenticator) =>
        (await good.getAuthenticator(passkey.credentialID)) ? passkey : good.createAuthenticator(passkey),
    }),
  },
  {
    name: "requires an address for every user",
    guarantee: "users-without-email",
    foundBy: ["createUser keeps users without an address apart"],
    change: (good) => refusing(good, ["createUser"], (name, value) => name === "email" && !value),
  },
  {
    name: "accepts accounts of unknown users",
    guarantee: "references",
    foundBy: [
      "linkAccount rejects the account of an unknown user",
      "linkAccount leaves no orphaned account when the user is deleted at the same time",
    ],
    change(good) {
      const orphans = new Set<string>()
      return {
        async linkAccount(account: AdapterAccount) {
          if (orphans.has(accountKey(account))) throw new Error("linked already")
          await tick()
          if (await good.getUser(account.userId)) return good.linkAccount(account)
          orphans.add(accountKey(account))
          return account
        },
      }
    },
  },
  {
    name: "throws for the session of a deleted user",
    guarantee: "orphan-sessions",
    foundBy: ["getSessionAndUser returns null for the session of a deleted user"],
    change(good) {
      const orphans = new Set<string>()
      return {
        async createSession(session: AdapterSession) {
          if (await good.getUser(session.userId)) return good.createSession(session)
          orphans.add(session.sessionToken)
          return session
        },
        async getSessionAndUser(token: string) {
          if (orphans.has(token)) throw new Error("can't read members of undefined")
          return good.getSessionAndUser(token)
        },
      }
    },
  },
  {
    name: "deletes a user without the sessions, accounts and passkeys",
    guarantee: "cascade",
    foundBy: [
      "deleteUser deletes only the user's sessions",
      "deleteUser deletes the session's row, too",
      "deleteUser deletes the user's accounts, which can be linked again",
      "deleteUser deletes the user's passkeys",
      "linkAccount leaves no orphaned account when the user is deleted at the same time",
    ],
    change(good) {
      const sessions = new Map<string, AdapterSession>()
      const passkeys = new Map<string, AdapterAuthenticator>()
      const [users, accounts] = [new Map<string, AdapterUser>(), new Set<string>()]
      return {
        async createSession(session: AdapterSession) {
          const created = await good.createSession(session)
          sessions.set(session.sessionToken, session)
          return created
        },
        async createAuthenticator(passkey: AdapterAuthenticator) {
          passkeys.set(passkey.credentialID, passkey)
          return good.createAuthenticator(passkey)
        },
        async deleteUser(id: string) {
          const user = await good.getUser(id)
          if (user) users.set(id, user)
          for (const account of await good.listAccountsByUserId(id)) accounts.add(accountKey(account))
          return good.deleteUser(id)
        },
        async getSessionAndUser(token: string) {
          const session = sessions.get(token)
          const user = users.get(session?.userId ?? "")
          return session && user ? { session, user } : good.getSessionAndUser(token)
        },
        async updateSession(session: AdapterSession) {
          const row = sessions.get(session.sessionToken)
          return row && users.has(row.userId) ? row : good.updateSession(session)
        },
        async getAuthenticator(id: string) {
          const passkey = passkeys.get(id)
          return passkey && users.has(passkey.userId) ? passkey : good.getAuthenticator(id)
        },
        async linkAccount(account: AdapterAccount) {
          if (accounts.has(accountKey(account))) throw new Error("linked already")
          return good.linkAccount(account)
        },
      }
    },
  },
  {
    name: "reads and deletes a link in two steps (ADV-24)",
    guarantee: "atomic-tokens",
    foundBy: ["useVerificationToken succeeds for one of 50 concurrent calls"],
    change(good) {
      const links = new Map<string, VerificationToken>()
      return {
        async createVerificationToken(link: VerificationToken) {
          links.set(`${link.identifier} ${link.token}`, { ...link })
          return link
        },
        async useVerificationToken({ identifier, token }: VerificationToken) {
          const link = links.get(`${identifier} ${token}`)
          await tick()
          links.delete(`${identifier} ${token}`)
          return link ?? null
        },
        async deleteVerificationTokens(identifier: string) {
          for (const [key, link] of links) if (link.identifier === identifier) links.delete(key)
          return good.deleteVerificationTokens(identifier)
        },
        // Transactions keep the correct methods, because their rollback does not cover this map.
        transaction: good.transaction,
      }
    },
  },
  {
    name: "compares and sets a counter in two steps",
    guarantee: "counters",
    foundBy: ["updateAuthenticatorCounter succeeds for one of 10 concurrent calls with the same counter"],
    change(good) {
      const counters = new Map<string, number>()
      const read = async (id: string) => {
        const passkey = await good.getAuthenticator(id)
        return passkey && { ...passkey, counter: counters.get(id) ?? passkey.counter }
      }
      return {
        getAuthenticator: read,
        async updateAuthenticatorCounter(id: string, counter: number) {
          const passkey = await read(id)
          if (!passkey || (counter <= passkey.counter && counter !== 0)) throw new Error("the counter went back")
          if (counter === 0 && passkey.counter !== 0) throw new Error("the counter went back")
          await tick()
          counters.set(id, counter)
          return { ...passkey, counter }
        },
      }
    },
  },
  {
    name: "decreases counters",
    guarantee: "counters",
    foundBy: [
      "updateAuthenticatorCounter never decreases a counter",
      "updateAuthenticatorCounter succeeds for one of 10 concurrent calls with the same counter",
      "updateAuthenticatorCounter ends at the highest of 10 concurrent counters",
    ],
    change(good) {
      const counters = new Map<string, number>()
      const read = async (id: string) => {
        const passkey = await good.getAuthenticator(id)
        return passkey && { ...passkey, counter: counters.get(id) ?? passkey.counter }
      }
      return {
        getAuthenticator: read,
        async updateAuthenticatorCounter(id: string, counter: number) {
          const passkey = await read(id)
          if (!passkey) throw new Error("unknown")
          counters.set(id, counter)
          return { ...passkey, counter }
        },
      }
    },
  },
  {
    name: "rejects passkeys whose counter stays 0",
    guarantee: "counters",
    foundBy: ["updateAuthenticatorCounter accepts 0 after 0"],
    change: (good) => ({
      async updateAuthenticatorCounter(id: string, counter: number) {
        if (counter === 0) throw new Error("the counter has not gone up")
        return good.updateAuthenticatorCounter(id, counter)
      },
    }),
  },
]
