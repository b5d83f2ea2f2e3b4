import type { AdapterAccount, AdapterSession, AdapterUser } from "../../../../lib/adapters/adapter.js"
import { type Defect, mapped, withArguments, withResults } from "./defect.js"

/** The value of an additional column, the same in every read. */
const MADE_AT = new Date(1_700_000_000_000)

/** Defects in returned records; each breaks exactly one guarantee. */
export const BROKEN_RECORDS: readonly Defect[] = [
  {
    name: "returns numeric ids",
    guarantee: "string-ids",
    foundBy: ["createUser returns the stored user with its id"],
    change(good) {
      const asText = (name: string, value: unknown) => (name === "id" || name === "userId" ? String(value) : value)
      const asNumber = (name: string, value: unknown) =>
        (name === "id" || name === "userId") && /^\d+$/.test(String(value)) ? Number(value) : value
      const taking = withArguments(good, (arg) => {
        if (typeof arg === "object" && arg !== null) return mapped(arg, asText)
        return typeof arg === "number" && arg > 1e9 && arg < 2e9 ? String(arg) : arg
      })
      const giving = withResults({ ...good, ...taking }, (record) => mapped(record, asNumber))
      const createUser = async (user: AdapterUser) => {
        const id = String(1e9 + Math.floor(Math.random() * 1e9))
        return mapped(await good.createUser({ ...user, id }), asNumber)
      }
      return { ...giving, createUser }
    },
  },
  {
    name: "returns dates as text",
    guarantee: "date-objects",
    foundBy: [
      "createUser returns the stored user with its id",
      "createSession returns the session as it was stored",
      "updateUser sets and clears emailVerified",
      "useVerificationToken returns the link once",
      "createAuthenticator sets the creation time itself and ignores a name",
    ],
    change: (good) =>
      withResults(good, (record) =>
        mapped(record, (_, value) => (value instanceof Date ? value.toISOString() : value)),
      ),
  },
  {
    name: "writes undefined as null",
    guarantee: "partial-updates",
    foundBy: ["updateUser treats undefined as unchanged"],
    change: (good) => ({
      updateUser: (user: object) => good.updateUser(mapped(user, (_, value) => value ?? null) as AdapterUser),
    }),
  },
  {
    name: "accepts only ids in one format",
    guarantee: "any-id",
    foundBy: ["getUser returns null for an invalid id"],
    change: (good) => ({
      async getUser(id: string) {
        if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error("invalid input syntax for type uuid")
        return good.getUser(id)
      },
    }),
  },
  {
    name: "finds a user by a former address",
    guarantee: "address-changes",
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
    name: "keeps emailVerified when the address changes",
    guarantee: "unverified-changes",
    foundBy: ["updateUser makes a changed address unverified, unless it sets emailVerified too"],
    change: (good) => ({
      async updateUser(user: AdapterUser) {
        const verifiedAt = user.emailVerified ?? (await good.getUser(user.id))?.emailVerified
        return good.updateUser({
          ...user,
          ...(user.emailVerified !== null && verifiedAt && { emailVerified: verifiedAt }),
        })
      },
    }),
  },
  {
    name: "returns additional columns and nulls",
    guarantee: "exact-records",
    foundBy: [
      "getUser returns null for an unknown id, and the user for a known one",
      "useVerificationToken returns the link once",
    ],
    change: (good) => withResults(good, (record) => ({ created_at: MADE_AT, role: null, ...record })),
  },
  {
    name: "returns null for missing tokens of an account",
    guarantee: "exact-records",
    foundBy: ["linkAccount adds no tokens to an account without tokens"],
    change: (good) =>
      withResults(good, (record) => ("providerAccountId" in record ? { refresh_token: null, ...record } : record)),
  },
  {
    name: "does not return an updated session",
    guarantee: "session-result",
    foundBy: ["updateSession returns the updated session, and null for an unknown one"],
    change: (good) => ({
      async updateSession(session: AdapterSession) {
        await good.updateSession(session)
      },
    }),
  },
  {
    name: "ignores an update of an unknown user",
    guarantee: "known-users",
    foundBy: ["updateUser rejects an unknown user"],
    change: (good) => ({
      updateUser: async (user: AdapterUser) => ((await good.getUser(user.id)) ? good.updateUser(user) : undefined),
    }),
  },
  {
    name: "throws if there is nothing to delete",
    guarantee: "quiet-deletes",
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
      name: "stores raw session tokens (SES-09)",
      guarantee: "hashed-sessions",
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
