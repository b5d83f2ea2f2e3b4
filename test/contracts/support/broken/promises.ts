import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../../../../lib/adapters/adapter.js"
import { comparing, gettingOthers, givingOthers, type Mistake, mapped, refusing, tick } from "./mistake.js"

const accountKey = ({ provider, providerAccountId }: Pick<AdapterAccount, "provider" | "providerAccountId">) =>
  `${provider}:${providerAccountId}`

const mapDates = (record: object, map: (time: number) => number) =>
  mapped(record, (_, value) => (value instanceof Date ? new Date(map(value.getTime())) : value))

/** Mistakes that break one part of the contract and nothing else. */
export const BROKEN_PROMISES: readonly Mistake[] = [
  {
    mistake: "counts users in numbers",
    promise: "string-ids",
    foundBy: ["createUser gives the user as it was stored, with its id"],
    change(good) {
      const asText = (name: string, value: unknown) => (name === "id" || name === "userId" ? String(value) : value)
      const asNumber = (name: string, value: unknown) =>
        (name === "id" || name === "userId") && /^\d+$/.test(String(value)) ? Number(value) : value
      const taking = gettingOthers(good, (arg) => {
        if (typeof arg === "object" && arg !== null) return mapped(arg, asText)
        return typeof arg === "number" && arg > 1e9 && arg < 2e9 ? String(arg) : arg
      })
      const giving = givingOthers({ ...good, ...taking }, (record) => mapped(record, asNumber))
      const createUser = async (user: AdapterUser) => {
        const id = String(1e9 + Math.floor(Math.random() * 1e9))
        return mapped(await good.createUser({ ...user, id }), asNumber)
      }
      return { ...giving, createUser }
    },
  },
  {
    mistake: "gives whole rows, with nulls and columns of its own",
    promise: "exact-records",
    foundBy: [
      "getUser gives null for an unknown id, and the user for a known one",
      "useVerificationToken gives the link once",
    ],
    change: (good) => givingOthers(good, (record) => ({ created_at: new Date(), role: null, ...record })),
  },
  {
    mistake: "gives null for tokens that an account has not",
    promise: "exact-records",
    foundBy: ["linkAccount adds no tokens to an account without any"],
    change: (good) =>
      givingOthers(good, (record) => ("providerAccountId" in record ? { refresh_token: null, ...record } : record)),
  },
  {
    mistake: "gives an updated session to nobody",
    promise: "session-result",
    foundBy: ["updateSession gives the updated session, and null for an unknown one"],
    change: (good) => ({
      async updateSession(session: AdapterSession) {
        await good.updateSession(session)
      },
    }),
  },
  {
    mistake: "updates nobody and says nothing",
    promise: "known-users",
    foundBy: ["updateUser refuses a user who is not there"],
    change: (good) => ({
      updateUser: async (user: AdapterUser) => ((await good.getUser(user.id)) ? good.updateUser(user) : undefined),
    }),
  },
  {
    mistake: "fails when there is nothing to delete",
    promise: "quiet-deletes",
    foundBy: [
      "deleteUser of a user who is not there is no error",
      "deleteSession of a session that is not there is no error",
      "unlinkAccount of an account that is not there is no error",
    ],
    change(good) {
      const stop = () => {
        throw new Error("no result")
      }
      return {
        deleteUser: async (id: string) => ((await good.getUser(id)) ? good.deleteUser(id) : stop()),
        deleteSession: async (token: string) =>
          (await good.getSessionAndUser(token)) ? good.deleteSession(token) : stop(),
        unlinkAccount: async (account: AdapterAccount) =>
          (await good.getUserByAccount(account)) ? good.unlinkAccount(account) : stop(),
      }
    },
  },
  (() => {
    const tokens: string[] = []
    return {
      mistake: "stores raw session tokens (SES-09)",
      promise: "hashed-sessions",
      foundBy: ["stores the hash of a session token, never the token"],
      change: (good) => ({
        createSession(session: AdapterSession) {
          tokens.push(session.sessionToken)
          return good.createSession(session)
        },
      }),
      dump: () => tokens.join(),
    }
  })(),
  {
    mistake: "gives an address to whoever comes last",
    promise: "unique-email",
    foundBy: [
      "createUser refuses a second user with the same address",
      "updateUser refuses the address of another user",
      "createUser makes one user of 20 at once with the same address",
    ],
    change(good) {
      // Whoever had it gets another, so that the next one can have it.
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
    mistake: "links an account to whoever comes last",
    promise: "unique-account",
    foundBy: [
      "linkAccount refuses an account that is linked already",
      "linkAccount links one of 20 at once with the same account",
      "transaction leaves nothing behind when one of its writes is refused",
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
    mistake: "takes a passkey twice",
    promise: "unique-passkey",
    foundBy: ["createAuthenticator refuses a credential id that is taken"],
    change: (good) => ({
      createAuthenticator: async (passkey: AdapterAuthenticator) =>
        (await good.getAuthenticator(passkey.credentialID)) ? passkey : good.createAuthenticator(passkey),
    }),
  },
  {
    mistake: "wants an address of everyone",
    promise: "users-without-email",
    foundBy: ["createUser keeps users without an address apart"],
    change: (good) => refusing(good, ["createUser"], (name, value) => name === "email" && !value),
  },
  {
    mistake: "takes accounts of nobody",
    promise: "references",
    foundBy: [
      "linkAccount refuses the account of a user who is not there",
      "linkAccount leaves no account of nobody when the user is deleted at the same time",
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
    mistake: "fails over the session of a user who is gone",
    promise: "orphan-sessions",
    foundBy: ["getSessionAndUser gives null for the session of a user who is gone"],
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
    mistake: "deletes the user alone",
    promise: "cascade",
    foundBy: [
      "deleteUser ends the user's sessions, and nobody else's",
      "deleteUser deletes the session's row, too",
      "deleteUser deletes the user's accounts, which can be linked again",
      "deleteUser deletes the user's passkeys",
      "linkAccount leaves no account of nobody when the user is deleted at the same time",
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
    mistake: "finds a link first and deletes it later (ADV-24)",
    promise: "atomic-tokens",
    foundBy: ["useVerificationToken has one winner of 50 at once"],
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
        // Not a part of this mistake: links are left out of what is undone.
        transaction: good.transaction,
      }
    },
  },
  {
    mistake: "compares a counter first and sets it later",
    promise: "counters",
    foundBy: ["updateAuthenticatorCounter has one winner of 10 at once with the same counter"],
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
    mistake: "sets any counter",
    promise: "counters",
    foundBy: [
      "updateAuthenticatorCounter never lets a counter go back",
      "updateAuthenticatorCounter has one winner of 10 at once with the same counter",
      "updateAuthenticatorCounter ends at the highest of 10 different counters at once",
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
    mistake: "refuses passkeys that do not count",
    promise: "counters",
    foundBy: ["updateAuthenticatorCounter takes 0 after 0"],
    change: (good) => ({
      async updateAuthenticatorCounter(id: string, counter: number) {
        if (counter === 0) throw new Error("the counter has not gone up")
        return good.updateAuthenticatorCounter(id, counter)
      },
    }),
  },
  {
    mistake: "takes é for e, and no notice of blanks",
    promise: "exact-text",
    foundBy: [
      "getUserByEmail finds an address by its exact text",
      "createUser keeps addresses apart that differ in an accent",
      "getUserByAccount finds an account by its exact text",
      "useVerificationToken compares address and token exactly",
      "getSessionAndUser compares the token exactly",
    ],
    change: (good) => comparing(good, (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").trim()),
  },
  {
    mistake: "takes upper case for lower case",
    promise: "exact-text",
    foundBy: [
      "getUserByEmail finds an address by its exact text",
      "getUserByAccount finds an account by its exact text",
      "useVerificationToken compares address and token exactly",
      "getSessionAndUser compares the token exactly",
      "getAuthenticator tells apart credential ids that differ in case",
    ],
    change(good) {
      const known = new Map<string, string>()
      return {
        ...comparing(good, (text) => (/^[0-9a-fe]+$|@/i.test(text) ? text.toLowerCase() : text)),
        getAuthenticator: async (id: string) => good.getAuthenticator(known.get(id.toLowerCase()) ?? id),
        async createAuthenticator(passkey: AdapterAuthenticator) {
          known.set(passkey.credentialID.toLowerCase(), passkey.credentialID)
          return good.createAuthenticator(passkey)
        },
      }
    },
  },
  {
    mistake: "takes whatever looks like a date for one",
    promise: "plain-text",
    foundBy: ["keeps text that looks like a date, a number or nothing as text"],
    change: (good) =>
      givingOthers(good, (record) =>
        mapped(record, (_, value) =>
          typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value) : value,
        ),
      ),
  },
  {
    mistake: "keeps whole seconds",
    promise: "milliseconds",
    foundBy: [
      "keeps dates of users to the millisecond, in any time zone",
      "keeps the end of a session and of a link to the millisecond",
    ],
    change: (good) => givingOthers(good, (record) => mapDates(record, (time) => Math.floor(time / 1000) * 1000)),
  },
  {
    mistake: "has 31 bits",
    promise: "wide-numbers",
    foundBy: ["keeps dates and seconds after 2038", "keeps counters up to 2^32 - 1"],
    change: (good) =>
      givingOthers(good, (record) =>
        mapped(
          mapDates(record, (time) => Math.min(time, 2 ** 31 * 1000)),
          (_, value) => (typeof value === "number" ? Math.min(value, 2 ** 31 - 1) : value),
        ),
      ),
  },
  {
    mistake: "knows characters of three bytes",
    promise: "unicode",
    foundBy: ["keeps characters of four bytes in names and addresses"],
    change: (good) => refusing(good, ["createUser"], (_, value) => /\p{Extended_Pictographic}/u.test(String(value))),
  },
  {
    mistake: "looks for addresses by patterns",
    promise: "unicode",
    foundBy: ["keeps quotes, percent signs, line ends and the words of query languages"],
    change(good) {
      const emails: string[] = []
      return {
        createUser(user: AdapterUser) {
          emails.push(user.email)
          return good.createUser(user)
        },
        async getUserByEmail(email: string) {
          const pattern = email.replace(/[.*+?^$(){}|[\]\\]/g, "\\$&")
          const like = new RegExp(`^${pattern.replaceAll("%", ".*").replaceAll("_", ".")}$`)
          return good.getUserByEmail(
            emails.find((one) => one === email) ?? emails.find((one) => like.test(one)) ?? email,
          )
        },
      }
    },
  },
  {
    mistake: "has columns of 255 characters",
    promise: "long-values",
    foundBy: ["keeps tokens of 8,000 and addresses of 2,000 characters"],
    change: (good) => refusing(good, ["createUser", "linkAccount"], (_, value) => String(value).length > 255),
  },
  {
    mistake: "knows its columns and no others",
    promise: "unknown-members",
    foundBy: [
      "createUser takes members of a profile that the store does not know",
      "linkAccount takes members that the store does not know",
    ],
    change: (good) => refusing(good, ["createUser", "linkAccount"], (name) => ["favouriteColour", "ok"].includes(name)),
  },
]
