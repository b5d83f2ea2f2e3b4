import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterMethod,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../../../../lib/adapters/adapter.js"
import { ADAPTER_METHODS } from "../../../../lib/adapters/bind.js"
import { type AnyMethod, type Defect, type Methods, mapped, withResults } from "./defect.js"

type Account = Pick<AdapterAccount, "provider" | "providerAccountId">
type LinkKey = Pick<VerificationToken, "identifier" | "token">

const missing = (...names: AdapterMethod[]): Defect["change"] => {
  return () => Object.fromEntries(names.map((name) => [name, undefined]))
}

/** Stores records unchanged, in one map for each kind. */
const sharing = (good: Methods): object => {
  const users = new Map<string, AdapterUser>()
  return {
    async createUser(user: AdapterUser) {
      await good.createUser(user)
      users.set(user.id, user)
      return user
    },
    getUser: async (id: string) => users.get(id) ?? null,
  }
}

/** Defects in behaviour that is required of every adapter. */
export const BROKEN_BASICS: readonly Defect[] = [
  {
    name: "has no methods for sessions",
    foundBy: ["has every method", "has the methods that accounts and sessions need"],
    change: missing("createSession", "getSessionAndUser"),
  },
  {
    name: "has no methods for links",
    foundBy: ["has the methods that email links need"],
    change: missing("createVerificationToken", "useVerificationToken"),
  },
  {
    name: "cannot delete users or unlink accounts",
    foundBy: ["has unlinkAccount and deleteUser"],
    change: missing("deleteUser", "unlinkAccount"),
  },
  {
    name: "has no methods for passkeys",
    foundBy: ["has the methods that passkeys need"],
    change: missing("getAuthenticator", "createAuthenticator"),
  },
  {
    name: "returns users without an id",
    foundBy: ["createUser returns the stored user with its id"],
    change: (good) => ({
      createUser: async (user: AdapterUser) => ({ ...(await good.createUser(user)), id: undefined }),
    }),
  },
  {
    name: "returns undefined instead of null for a missing record",
    foundBy: [
      "getUser returns null for an unknown id, and the user for a known one",
      "getUserByEmail returns null for an unknown address, and the user for a known one",
      "useVerificationToken requires the matching address and token",
    ],
    change: (good) =>
      Object.fromEntries(
        ADAPTER_METHODS.map((name) => [
          name,
          async (...args: unknown[]) => (await (good[name] as AnyMethod)(...args)) ?? undefined,
        ]),
      ),
  },
  {
    name: "returns references to its own rows",
    foundBy: ["createUser does not keep a reference to the given object"],
    change: sharing,
  },
  {
    name: "treats an unverified address as verified",
    foundBy: ["createUser keeps a missing name and picture null or absent, and emailVerified null"],
    change: (good) =>
      withResults(good, (record) =>
        mapped(record, (name, value) => (name === "emailVerified" ? (value ?? new Date(0)) : value)),
      ),
  },
  {
    name: "overwrites the whole user with each change",
    foundBy: ["updateUser changes the given members and keeps the others"],
    change: (good) => ({
      updateUser: (user: AdapterUser) =>
        good.updateUser({ ...user, image: user.image ?? null, name: user.name ?? null }),
    }),
  },
  {
    name: "returns the first user for every session",
    foundBy: ["getSessionAndUser distinguishes the sessions of several users"],
    change(good) {
      let first: string | undefined
      return {
        createUser(user: AdapterUser) {
          first ??= user.id
          return good.createUser(user)
        },
        async getSessionAndUser(token: string) {
          const found = await good.getSessionAndUser(token)
          return found && { ...found, user: await good.getUser(first ?? "") }
        },
      }
    },
  },
  {
    name: "deletes all sessions of a user in deleteSession",
    foundBy: ["deleteSession deletes only the given session"],
    change: (good) => ({
      async deleteSession(token: string) {
        const found = await good.getSessionAndUser(token)
        if (found) await good.deleteSessionsByUserId(found.user.id)
      },
    }),
  },
  {
    name: "identifies accounts without their provider",
    foundBy: [
      "linkAccount accepts the same id at two providers",
      "getUserByAccount returns null for a wrong provider or id, and the user for matching ones",
    ],
    change: (good) => ({
      linkAccount: (account: AdapterAccount) => good.linkAccount({ ...account, provider: "any" }),
      getUserByAccount: (account: Account) => good.getUserByAccount({ ...account, provider: "any" }),
      unlinkAccount: (account: Account) => good.unlinkAccount({ ...account, provider: "any" }),
    }),
  },
  {
    name: "deletes the user in unlinkAccount",
    foundBy: ["unlinkAccount deletes one account and leaves the user"],
    change: (good) => ({
      async unlinkAccount(account: Account) {
        const user = await good.getUserByAccount(account)
        if (user) await good.deleteUser(user.id)
      },
    }),
  },
  {
    name: "lists the accounts of all users",
    foundBy: ["listAccountsByUserId returns the accounts of one user"],
    change(good) {
      const accounts: AdapterAccount[] = []
      return {
        linkAccount(account: AdapterAccount) {
          accounts.push(account)
          return good.linkAccount(account)
        },
        listAccountsByUserId: async () => accounts,
      }
    },
  },
  {
    name: "finds a link by its address alone (ADV-10)",
    foundBy: ["useVerificationToken requires the matching address and token"],
    change: (good) => ({
      createVerificationToken: (link: VerificationToken) => good.createVerificationToken({ ...link, token: "any" }),
      useVerificationToken: ({ identifier }: LinkKey) => good.useVerificationToken({ identifier, token: "any" }),
    }),
  },
  {
    name: "finds a link by its token alone",
    foundBy: ["useVerificationToken requires the matching address and token"],
    change: (good) => ({
      createVerificationToken: (link: VerificationToken) =>
        good.createVerificationToken({ ...link, identifier: "any" }),
      useVerificationToken: ({ token }: LinkKey) => good.useVerificationToken({ identifier: "any", token }),
    }),
  },
  {
    name: "does not delete a used link",
    foundBy: ["useVerificationToken returns the link once"],
    change: (good) => ({
      async useVerificationToken(link: LinkKey) {
        const used = await good.useVerificationToken(link)
        if (used) await good.createVerificationToken(used)
        return used
      },
    }),
  },
  {
    name: "stores only one link per address",
    foundBy: ["createVerificationToken keeps earlier links of the same address valid"],
    change: (good) => ({
      async createVerificationToken(link: VerificationToken) {
        await good.deleteVerificationTokens(link.identifier)
        return good.createVerificationToken(link)
      },
    }),
  },
  {
    name: "returns flags as numbers",
    foundBy: [
      "createAuthenticator returns the passkey as it was stored",
      "getAuthenticator returns null for an unknown passkey, and the record for a known one",
      "listAuthenticatorsByUserId returns the passkeys of one user",
    ],
    change: (good) =>
      withResults(good, (record) => mapped(record, (_, value) => (typeof value === "boolean" ? Number(value) : value))),
  },
  {
    name: "updates the counter of an unknown passkey without an error",
    foundBy: ["updateAuthenticatorCounter stores the new counter, and rejects an unknown passkey"],
    change: (good) => ({
      updateAuthenticatorCounter: async (id: string, counter: number) =>
        (await good.getAuthenticator(id)) ? good.updateAuthenticatorCounter(id, counter) : ({} as AdapterAuthenticator),
    }),
  },
  {
    name: "deletes a session when it updates it",
    foundBy: ["updateSession stores another expiry"],
    change: (good) => ({
      async updateSession(session: AdapterSession) {
        const updated = await good.updateSession(session)
        await good.deleteSession(session.sessionToken)
        return updated
      },
    }),
  },
]
