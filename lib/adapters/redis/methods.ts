import { randomUUID } from "node:crypto"
import { types } from "node:util"
import { sha256Hex } from "../../security/tokens.js"
import {
  type Adapter,
  type AdapterAccount,
  type AdapterAuthenticator,
  type AdapterSession,
  type AdapterUser,
  type ClearTextTokens,
  TOKEN_MEMBERS,
  type VerificationToken,
} from "../adapter.js"

/** Alternating field names and values, as in a Redis hash. */
type FlatRecord = readonly string[]

/** Marks a date, because JSON would store it as a string. No JSON text begins with this mark. */
const DATE_MARK = "@"

const encodeValue = (value: unknown): string | undefined =>
  types.isDate(value) ? DATE_MARK + value.toISOString() : JSON.stringify(value)

const decodeValue = (text: string): unknown =>
  text.startsWith(DATE_MARK) ? new Date(text.slice(DATE_MARK.length)) : JSON.parse(text)

/** Undefined members are omitted. */
const encodeRecord = (record: object): FlatRecord =>
  Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    const text = encodeValue(value)
    return text === undefined ? [] : [name, text]
  })

function decodeRecord(flat: FlatRecord): Record<string, unknown> {
  const names = flat.filter((_, index) => index % 2 === 0)
  return Object.fromEntries(names.map((name, index) => [name, decodeValue(flat[index * 2 + 1] ?? "null")]))
}

/** One operation of the script: its name and its arguments. */
export type Operation = readonly [name: string, ...args: (string | FlatRecord)[]]

/** Runs one operation and returns its result. */
export type Perform = (operation: Operation) => Promise<unknown>

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">

// Key parts are JSON, like the fields, so that the script can compare them and no two ids can be confused.
const key = (text: string): string => JSON.stringify(String(text))
const accountKey = ({ provider, providerAccountId }: AccountKey): string =>
  JSON.stringify([String(provider), String(providerAccountId)])
const linkHash = (identifier: string, token: string): string => sha256Hex(JSON.stringify([identifier, token]))

/** When Redis expires a row, in milliseconds since 1970; an empty string leaves the expiry unchanged. */
const expiryMs = ({ expires }: { expires?: Date | undefined }): string => (expires ? String(expires.getTime()) : "")

// Rows have the type with which these methods wrote them.
const row = <T>(result: unknown): T => decodeRecord(result as FlatRecord) as T
const rowOrNull = <T>(result: unknown): T | null => (result ? row<T>(result) : null)
// Lua does not distinguish an empty list from an empty object.
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
    // A transaction fails at its end if its reads have changed meanwhile.
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
      const args = [key(session.userId), encodeRecord(session), expiryMs(session)] as const
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
      const stored = await perform(["updateSession", sha256Hex(sessionToken), encodeRecord(change), expiryMs(change)])
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
      const args = [key(identifier), encodeRecord(link), expiryMs(link)] as const
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
  }
}

function passkeyMethods(perform: Perform) {
  return {
    async createAuthenticator({ name: _, ...given }: AdapterAuthenticator) {
      // The time is read here, because a transaction runs the operation twice and both results must be equal.
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

/** Returns the accounts with tokens, in the steps of a scan. */
async function* listAccountsWithTokens(perform: Perform): AsyncGenerator<AdapterAccount[]> {
  let cursor = "0"
  do {
    const [next, accounts] = (await perform(["scanAccountsWithTokens", cursor])) as [string, unknown]
    yield list<AdapterAccount>(accounts)
    cursor = next
  } while (cursor !== "0")
}

export const createTokenMethods = (perform: Perform): ClearTextTokens => ({
  listAccountsWithTokens: () => listAccountsWithTokens(perform),
  async removeAccountTokens(account) {
    const tokens = encodeRecord(Object.fromEntries(TOKEN_MEMBERS.map((name) => [name, account[name] ?? null])))
    const id = key(account.userId)
    return rowOrNull<AdapterAccount>(await perform(["removeAccountTokens", accountKey(account), id, tokens]))
  },
})

/** The adapter's methods, one script operation each. */
export const createMethods = (perform: Perform): Omit<Required<Adapter>, "transaction"> => ({
  ...userMethods(perform),
  ...accountMethods(perform),
  ...sessionMethods(perform),
  ...linkMethods(perform),
  ...passkeyMethods(perform),
  keepsVerifiedEmail: true,
})
