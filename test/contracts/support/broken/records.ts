import type { AdapterAccount, AdapterSession, AdapterUser } from "../../../../lib/adapters/adapter.js"
import { gettingOthers, givingOthers, type Mistake, mapped } from "./mistake.js"

/** A column of the store, the same in every read. */
const MADE_AT = new Date(1_700_000_000_000)

/** Defects in returned records; each breaks exactly one guarantee. */
export const BROKEN_RECORDS: readonly Mistake[] = [
  {
    mistake: "counts users in numbers",
    promise: "string-ids",
    foundBy: ["createUser returns the stored user with its id"],
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
    mistake: "gives dates as text",
    promise: "date-objects",
    foundBy: [
      "createUser returns the stored user with its id",
      "createSession returns the session as it was stored",
      "updateUser sets and clears emailVerified",
      "useVerificationToken returns the link once",
      "createAuthenticator sets the time itself and ignores a name",
    ],
    change: (good) =>
      givingOthers(good, (record) =>
        mapped(record, (_, value) => (value instanceof Date ? value.toISOString() : value)),
      ),
  },
  {
    mistake: "writes undefined as null",
    promise: "partial-updates",
    foundBy: ["updateUser treats undefined as unchanged"],
    change: (good) => ({
      updateUser: (user: object) => good.updateUser(mapped(user, (_, value) => value ?? null) as AdapterUser),
    }),
  },
  {
    mistake: "knows one form of ids",
    promise: "any-id",
    foundBy: ["getUser returns null for an invalid id"],
    change: (good) => ({
      async getUser(id: string) {
        if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error("invalid input syntax for type uuid")
        return good.getUser(id)
      },
    }),
  },
  {
    mistake: "keeps the way from an old address to its user",
    promise: "address-changes",
    foundBy: ["updateUser moves a user to another address and frees the old one"],
    change(good) {
      const former = new Map<string, string>()
      return {
        async updateUser(user: AdapterUser) {
          const before = await good.getUser(user.id)
          const updated = await good.updateUser(user)
          if (before && before.email !== updated.email) former.set(before.email, user.id)
          return updated
        },
        getUserByEmail: async (email: string) =>
          (await good.getUserByEmail(email)) ?? good.getUser(former.get(email) ?? ""),
      }
    },
  },
  {
    mistake: "keeps the proof of the old address for a new one",
    promise: "unverified-changes",
    foundBy: ["updateUser makes a changed address unverified, unless emailVerified is given, too"],
    change: (good) => ({
      async updateUser(user: AdapterUser) {
        const proof = user.emailVerified ?? (await good.getUser(user.id))?.emailVerified
        return good.updateUser({ ...user, ...(user.emailVerified !== null && proof && { emailVerified: proof }) })
      },
    }),
  },
  {
    mistake: "gives whole rows, with nulls and columns of its own",
    promise: "exact-records",
    foundBy: [
      "getUser returns null for an unknown id, and the user for a known one",
      "useVerificationToken returns the link once",
    ],
    change: (good) => givingOthers(good, (record) => ({ created_at: MADE_AT, role: null, ...record })),
  },
  {
    mistake: "gives null for tokens that an account has not",
    promise: "exact-records",
    foundBy: ["linkAccount adds no tokens to an account without tokens"],
    change: (good) =>
      givingOthers(good, (record) => ("providerAccountId" in record ? { refresh_token: null, ...record } : record)),
  },
  {
    mistake: "gives an updated session to nobody",
    promise: "session-result",
    foundBy: ["updateSession returns the updated session, and null for an unknown one"],
    change: (good) => ({
      async updateSession(session: AdapterSession) {
        await good.updateSession(session)
      },
    }),
  },
  {
    mistake: "updates nobody and says nothing",
    promise: "known-users",
    foundBy: ["updateUser rejects an unknown user"],
    change: (good) => ({
      updateUser: async (user: AdapterUser) => ((await good.getUser(user.id)) ? good.updateUser(user) : undefined),
    }),
  },
  {
    mistake: "fails when there is nothing to delete",
    promise: "quiet-deletes",
    foundBy: [
      "deleteUser of an unknown user is not an error",
      "deleteSession of an unknown session is not an error",
      "unlinkAccount of an account that does not exist is not an error",
      "deleteAuthenticator of an unknown passkey is not an error",
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
        deleteAuthenticator: async (id: string) =>
          (await good.getAuthenticator(id)) ? good.deleteAuthenticator(id) : stop(),
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
]
