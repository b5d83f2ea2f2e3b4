import { randomUUID } from "node:crypto"
import { sha256Hex } from "../../security/tokens.js"
import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterClaim,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../adapter.js"
import { decodeRecord, encodeRecord, type FlatRecord } from "./record.js"

/** One operation of the script: its name and what it is given. */
export type Operation = readonly [name: string, ...args: (string | FlatRecord)[]]

/** Does one operation and gives its result. */
export type Perform = (operation: Operation) => Promise<unknown>

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">

// Parts of keys are JSON, as the fields are: the script can compare them, and no id can pretend to begin in another.
const key = (text: string): string => JSON.stringify(String(text))
const accountKey = ({ provider, providerAccountId }: AccountKey): string =>
  JSON.stringify([String(provider), String(providerAccountId)])
const linkHash = (identifier: string, token: string): string => sha256Hex(JSON.stringify([identifier, token]))

/** When Redis lets a row go, in milliseconds since 1970; an empty text leaves that as it is. */
const endOf = ({ expires }: { expires?: Date | undefined }): string => (expires ? String(expires.getTime()) : "")

// What comes back is what these methods have stored: a row has the type under which it was written.
const row = <T>(result: unknown): T => decodeRecord(result as FlatRecord) as T
const rowOrNull = <T>(result: unknown): T | null => (result ? row<T>(result) : null)
// An empty list and an empty object are one in Lua.
const list = <T>(result: unknown): T[] => (Array.isArray(result) ? result.map((item: unknown) => row<T>(item)) : [])

function userMethods(perform: Perform) {
  return {
    async createUser(given: AdapterUser) {
      const user = { ...given, id: given.id || randomUUID() }
      return row<AdapterUser>(await perform(["createUser", key(user.id), encodeRecord(user)]))
    },
    getUser: async (id: string) => rowOrNull<AdapterUser>(await perform(["getUser", key(id)])),
    getUserByEmail: async (email: string) => rowOrNull<AdapterUser>(await perform(["getUserByEmail", key(email)])),
    getUserByAccount: async (account: AccountKey) =>
      rowOrNull<AdapterUser>(await perform(["getUserByAccount", accountKey(account)])),
    async updateUser({ id, ...change }: Partial<AdapterUser> & Pick<AdapterUser, "id">) {
      return row<AdapterUser>(await perform(["updateUser", key(id), encodeRecord(change)]))
    },
    // A transaction fails at its end where what it has read was changed meanwhile.
    lockUser: async (id: string) => rowOrNull<AdapterUser>(await perform(["getUser", key(id)])),
    async deleteUser(id: string) {
      await perform(["deleteUser", key(id)])
    },
  }
}

function accountMethods(perform: Perform) {
  return {
    async linkAccount(given: AdapterAccount) {
      const account = { ...given, userId: String(given.userId) }
      const fields = encodeRecord(account)
      return row<AdapterAccount>(await perform(["linkAccount", accountKey(account), key(account.userId), fields]))
    },
    async updateAccount(given: AdapterAccount) {
      const account = { ...given, userId: String(given.userId) }
      const fields = encodeRecord(account)
      return rowOrNull<AdapterAccount>(
        await perform(["updateAccount", accountKey(account), key(account.userId), fields]),
      )
    },
    async unlinkAccount(account: AccountKey) {
      await perform(["unlinkAccount", accountKey(account)])
    },
    getAccount: async (providerAccountId: string, provider: string) =>
      rowOrNull<AdapterAccount>(await perform(["getAccount", accountKey({ provider, providerAccountId })])),
    listAccountsByUserId: async (id: string) => list<AdapterAccount>(await perform(["listAccountsByUserId", key(id)])),
  }
}

function sessionMethods(perform: Perform) {
  return {
    async createSession({ sessionToken, ...given }: AdapterSession): Promise<AdapterSession> {
      const session = { ...given, userId: String(given.userId) }
      const args = [key(session.userId), encodeRecord(session), endOf(session)] as const
      const stored = await perform(["createSession", sha256Hex(sessionToken), ...args])
      return { ...row<Omit<AdapterSession, "sessionToken">>(stored), sessionToken }
    },
    async getSessionAndUser(sessionToken: string) {
      const found = await perform(["getSessionAndUser", sha256Hex(sessionToken)])
      if (!Array.isArray(found)) return null
      const [session, user]: unknown[] = found
      return { session: { ...row<AdapterSession>(session), sessionToken }, user: row<AdapterUser>(user) }
    },
    async updateSession({ sessionToken, ...change }: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">) {
      const stored = await perform(["updateSession", sha256Hex(sessionToken), encodeRecord(change), endOf(change)])
      return stored ? { ...row<AdapterSession>(stored), sessionToken } : null
    },
    async deleteSession(sessionToken: string) {
      const ended = rowOrNull<AdapterSession>(await perform(["deleteSession", sha256Hex(sessionToken)]))
      return ended && { ...ended, sessionToken }
    },
    async deleteSessionsByUserId(id: string) {
      await perform(["deleteSessionsByUserId", key(id)])
    },
  }
}

function linkMethods(perform: Perform) {
  return {
    async createVerificationToken({ token, ...link }: VerificationToken): Promise<VerificationToken> {
      const { identifier } = link
      const args = [key(identifier), encodeRecord(link), endOf(link)] as const
      await perform(["createVerificationToken", linkHash(identifier, token), ...args])
      return { ...link, token }
    },
    async useVerificationToken({ identifier, token }: Pick<VerificationToken, "identifier" | "token">) {
      const link = rowOrNull<VerificationToken>(await perform(["useVerificationToken", linkHash(identifier, token)]))
      return link && { ...link, token }
    },
    async deleteVerificationTokens(identifier: string) {
      await perform(["deleteVerificationTokens", key(identifier)])
    },
    claimOnce: async (claim: AdapterClaim) =>
      (await perform(["claimOnce", sha256Hex(claim.id), endOf(claim)])) === true,
  }
}

function passkeyMethods(perform: Perform) {
  return {
    async createAuthenticator({ name: _, ...given }: AdapterAuthenticator) {
      // The time is taken here: a transaction does the operation twice, and both have to give the same.
      const passkey = { ...given, userId: String(given.userId), createdAt: new Date() }
      const args = [key(passkey.credentialID), key(passkey.userId), encodeRecord(passkey)] as const
      return row<AdapterAuthenticator>(await perform(["createAuthenticator", ...args]))
    },
    getAuthenticator: async (id: string) =>
      rowOrNull<AdapterAuthenticator>(await perform(["getAuthenticator", key(id)])),
    listAuthenticatorsByUserId: async (id: string) =>
      list<AdapterAuthenticator>(await perform(["listAuthenticatorsByUserId", key(id)])),
    async updateAuthenticatorCounter(id: string, counter: number) {
      const stored = await perform(["updateAuthenticatorCounter", key(id), JSON.stringify(counter)])
      return row<AdapterAuthenticator>(stored)
    },
    async renameAuthenticator(id: string, name: string | null) {
      await perform(["renameAuthenticator", key(id), encodeRecord({ name: name ?? null })])
    },
    async deleteAuthenticator(id: string) {
      await perform(["deleteAuthenticator", key(id)])
    },
  }
}

/** The adapter's methods, each as one operation. */
export const methodsOver = (perform: Perform): Omit<Required<Adapter>, "transaction"> => ({
  ...userMethods(perform),
  ...accountMethods(perform),
  ...sessionMethods(perform),
  ...linkMethods(perform),
  ...passkeyMethods(perform),
  keepsProvenEmail: true,
})
