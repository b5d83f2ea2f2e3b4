import { randomUUID } from "node:crypto"
import { types } from "node:util"
import { sha256Hex } from "../../security/tokens.js"
import {
  type Adapter,
  type AdapterAccount,
  type AdapterAuthenticator,
  type AdapterSession,
  type AdapterUser,
  type ClearTextTokenAccess,
  TOKEN_MEMBERS,
  type VerificationToken,
} from "../adapter.js"

/** Alternating field names and encoded values, as HGETALL returns them. */
type FlatRecord = readonly string[]

/** The first character of an encoded date. Other values are encoded as JSON, which never begins with this character. */
const DATE_MARK = "@"

const encodeValue = (value: unknown): string | undefined =>
  types.isDate(value) ? DATE_MARK + value.toISOString() : JSON.stringify(value)

const decodeValue = (text: string): unknown =>
  text.startsWith(DATE_MARK) ? new Date(text.slice(DATE_MARK.length)) : JSON.parse(text)

/** Encodes the members of a record for a Redis hash. Undefined members are omitted. */
const encodeRecord = (record: object): FlatRecord =>
  Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    const text = encodeValue(value)
    return text === undefined ? [] : [name, text]
  })

function decodeRecord(flat: FlatRecord): Record<string, unknown> {
  const names = flat.filter((_, index) => index % 2 === 0)
  return Object.fromEntries(names.map((name, index) => [name, decodeValue(flat[index * 2 + 1] ?? "null")]))
}

/** A call of an operation of the Lua script: the name of the operation, and its arguments. */
export type Operation = readonly [name: string, ...args: (string | FlatRecord)[]]

/** Runs one operation and returns its result. */
export type Perform = (operation: Operation) => Promise<unknown>

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">

// Ids in keys are encoded as JSON, like the values of fields, so that the script can compare ids without decoding them.
// JSON also separates the two parts of an account key unambiguously.
const encodeId = (id: string): string => JSON.stringify(String(id))
const accountKey = ({ provider, providerAccountId }: AccountKey): string =>
  JSON.stringify([String(provider), String(providerAccountId)])
const linkHash = (identifier: string, token: string): string => sha256Hex(JSON.stringify([identifier, token]))

/** Returns when Redis must delete a row, in milliseconds since 1970; "" to leave this time unchanged. */
const expiryMs = ({ expires }: { expires?: Date | undefined }): string => (expires ? String(expires.getTime()) : "")

// The casts are safe, because rows are written only by the methods below, with the same types.
const decodeRow = <T>(result: unknown): T => decodeRecord(result as FlatRecord) as T
const decodeRowOrNull = <T>(result: unknown): T | null => (result ? decodeRow<T>(result) : null)
// Lua encodes an empty list as the empty object {}.
const decodeRows = <T>(result: unknown): T[] =>
  Array.isArray(result) ? result.map((item: unknown) => decodeRow<T>(item)) : []

function userMethods(perform: Perform) {
  return {
    async createUser(given: AdapterUser) {
      const user = { ...given, id: given.id || randomUUID() }
      return decodeRow<AdapterUser>(await perform(["createUser", encodeId(user.id), encodeRecord(user)]))
    },
    getUser: async (id: string) => decodeRowOrNull<AdapterUser>(await perform(["getUser", encodeId(id)])),
    getUserByEmail: async (email: string) =>
      decodeRowOrNull<AdapterUser>(await perform(["getUserByEmail", encodeId(email)])),
    getUserByAccount: async (account: AccountKey) =>
      decodeRowOrNull<AdapterUser>(await perform(["getUserByAccount", accountKey(account)])),
    async updateUser({ id, ...change }: Partial<AdapterUser> & Pick<AdapterUser, "id">) {
      return decodeRow<AdapterUser>(await perform(["updateUser", encodeId(id), encodeRecord(change)]))
    },
    // Redis has no row locks. Instead, a transaction fails at its end if data that it read has changed.
    lockUser: async (id: string) => decodeRowOrNull<AdapterUser>(await perform(["getUser", encodeId(id)])),
    async deleteUser(id: string) {
      await perform(["deleteUser", encodeId(id)])
    },
  }
}

function accountMethods(perform: Perform) {
  return {
    async linkAccount(given: AdapterAccount) {
      const account = { ...given, userId: String(given.userId) }
      const fields = encodeRecord(account)
      return decodeRow<AdapterAccount>(
        await perform(["linkAccount", accountKey(account), encodeId(account.userId), fields]),
      )
    },
    async updateAccount(given: AdapterAccount) {
      const account = { ...given, userId: String(given.userId) }
      const fields = encodeRecord(account)
      return decodeRowOrNull<AdapterAccount>(
        await perform(["updateAccount", accountKey(account), encodeId(account.userId), fields]),
      )
    },
    async unlinkAccount(account: AccountKey) {
      await perform(["unlinkAccount", accountKey(account)])
    },
    getAccount: async (providerAccountId: string, provider: string) =>
      decodeRowOrNull<AdapterAccount>(await perform(["getAccount", accountKey({ provider, providerAccountId })])),
    listAccountsByUserId: async (id: string) =>
      decodeRows<AdapterAccount>(await perform(["listAccountsByUserId", encodeId(id)])),
  }
}

function sessionMethods(perform: Perform) {
  return {
    async createSession({ sessionToken, ...given }: AdapterSession): Promise<AdapterSession> {
      const session = { ...given, userId: String(given.userId) }
      const args = [encodeId(session.userId), encodeRecord(session), expiryMs(session)] as const
      const stored = await perform(["createSession", sha256Hex(sessionToken), ...args])
      return { ...decodeRow<Omit<AdapterSession, "sessionToken">>(stored), sessionToken }
    },
    async getSessionAndUser(sessionToken: string) {
      const found = await perform(["getSessionAndUser", sha256Hex(sessionToken)])
      if (!Array.isArray(found)) return null
      const [session, user]: unknown[] = found
      return { session: { ...decodeRow<AdapterSession>(session), sessionToken }, user: decodeRow<AdapterUser>(user) }
    },
    async updateSession({ sessionToken, ...change }: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">) {
      const stored = await perform(["updateSession", sha256Hex(sessionToken), encodeRecord(change), expiryMs(change)])
      return stored ? { ...decodeRow<AdapterSession>(stored), sessionToken } : null
    },
    async deleteSession(sessionToken: string) {
      const deleted = decodeRowOrNull<AdapterSession>(await perform(["deleteSession", sha256Hex(sessionToken)]))
      return deleted && { ...deleted, sessionToken }
    },
    async deleteSessionsByUserId(id: string) {
      await perform(["deleteSessionsByUserId", encodeId(id)])
    },
  }
}

function linkMethods(perform: Perform) {
  return {
    async createVerificationToken({ token, ...link }: VerificationToken): Promise<VerificationToken> {
      const { identifier } = link
      const args = [encodeId(identifier), encodeRecord(link), expiryMs(link)] as const
      await perform(["createVerificationToken", linkHash(identifier, token), ...args])
      return { ...link, token }
    },
    async useVerificationToken({ identifier, token }: Pick<VerificationToken, "identifier" | "token">) {
      const link = decodeRowOrNull<VerificationToken>(
        await perform(["useVerificationToken", linkHash(identifier, token)]),
      )
      return link && { ...link, token }
    },
    async deleteVerificationTokens(identifier: string) {
      await perform(["deleteVerificationTokens", encodeId(identifier)])
    },
  }
}

function passkeyMethods(perform: Perform) {
  return {
    async createAuthenticator({ name: _, ...given }: AdapterAuthenticator) {
      // The time is not read in the script, because a transaction runs each operation again when it commits, and the
      // result must be the same.
      const passkey = { ...given, userId: String(given.userId), createdAt: new Date() }
      const args = [encodeId(passkey.credentialID), encodeId(passkey.userId), encodeRecord(passkey)] as const
      return decodeRow<AdapterAuthenticator>(await perform(["createAuthenticator", ...args]))
    },
    getAuthenticator: async (id: string) =>
      decodeRowOrNull<AdapterAuthenticator>(await perform(["getAuthenticator", encodeId(id)])),
    listAuthenticatorsByUserId: async (id: string) =>
      decodeRows<AdapterAuthenticator>(await perform(["listAuthenticatorsByUserId", encodeId(id)])),
    async updateAuthenticatorCounter(id: string, counter: number) {
      const stored = await perform(["updateAuthenticatorCounter", encodeId(id), JSON.stringify(counter)])
      return decodeRow<AdapterAuthenticator>(stored)
    },
    async renameAuthenticator(id: string, name: string | null) {
      await perform(["renameAuthenticator", encodeId(id), encodeRecord({ name: name ?? null })])
    },
    async deleteAuthenticator(id: string) {
      await perform(["deleteAuthenticator", encodeId(id)])
    },
  }
}

/** Yields the accounts with tokens. Each page is the result of one step of a scan, and may be empty. */
async function* listAccountsWithTokens(perform: Perform): AsyncGenerator<AdapterAccount[]> {
  let cursor = "0"
  do {
    const [next, accounts] = (await perform(["scanAccountsWithTokens", cursor])) as [string, unknown]
    yield decodeRows<AdapterAccount>(accounts)
    cursor = next
  } while (cursor !== "0")
}

/** Creates the methods that list and remove provider tokens. */
export const createTokenMethods = (perform: Perform): ClearTextTokenAccess => ({
  listAccountsWithTokens: () => listAccountsWithTokens(perform),
  async removeAccountTokens(account) {
    const tokens = encodeRecord(Object.fromEntries(TOKEN_MEMBERS.map((name) => [name, account[name] ?? null])))
    const id = encodeId(account.userId)
    return decodeRowOrNull<AdapterAccount>(await perform(["removeAccountTokens", accountKey(account), id, tokens]))
  },
})

/** Creates the adapter methods. Each method runs one operation of the script. */
export const createMethods = (perform: Perform): Omit<Required<Adapter>, "transaction"> => ({
  ...userMethods(perform),
  ...accountMethods(perform),
  ...sessionMethods(perform),
  ...linkMethods(perform),
  ...passkeyMethods(perform),
  keepsVerifiedEmail: true,
})
