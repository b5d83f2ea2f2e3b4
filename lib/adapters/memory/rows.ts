import { randomUUID } from "node:crypto"
import { omitUndefined } from "../../base/merge.js"
import { sha256Hex } from "../../security/tokens.js"
import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterMethod,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../adapter.js"
import { deleteExpiredRows, Tables } from "./tables.js"

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">

/** The adapter's methods as synchronous functions. Each call is atomic, because no other code runs during the call. */
export type RowMethods = {
  [M in Exclude<AdapterMethod, "transaction">]-?: (
    ...args: Parameters<Required<Adapter>[M]>
  ) => Awaited<ReturnType<Required<Adapter>[M]>>
}

/** The maximum number of sessions, and of links, that a write checks for expiry. Limits the duration of the write. */
const ROWS_CHECKED_PER_WRITE = 20

// JSON separates the two parts unambiguously: ("a:b", "c") and ("a", "b:c") are different keys.
const accountKey = ({ provider, providerAccountId }: AccountKey) => JSON.stringify([provider, providerAccountId])
const linkKey = (identifier: string, token: string) => sha256Hex(JSON.stringify([identifier, token]))

/** Stores users, accounts, sessions, links and passkeys in maps. Rows are immutable; a change replaces the row. */
export class MemoryRows implements RowMethods {
  readonly #now: () => number
  #tables = new Tables()

  constructor(now: () => number) {
    this.#now = now
  }

  createUser(given: AdapterUser): AdapterUser {
    const user = { ...given, id: given.id || randomUUID() }
    if (this.#tables.users.has(user.id)) throw new Error("a user with this id already exists")
    this.#assignEmail(user)
    this.#tables.users.set(user.id, user)
    return user
  }

  getUser(id: string): AdapterUser | null {
    return this.#tables.users.get(id) ?? null
  }

  getUserByEmail(email: string): AdapterUser | null {
    return this.getUser(this.#tables.emails.get(email) ?? "")
  }

  getUserByAccount(account: AccountKey): AdapterUser | null {
    return this.getUser(this.#tables.accounts.get(accountKey(account))?.userId ?? "")
  }

  updateUser(change: Partial<AdapterUser> & Pick<AdapterUser, "id">): AdapterUser {
    const user = this.#requireUser(change.id)
    const resetsVerification = change.email !== undefined && change.email !== user.email
    const updated = { ...user, ...(resetsVerification && { emailVerified: null }), ...change }
    this.#assignEmail(updated)
    if (user.email !== updated.email) this.#tables.emails.delete(user.email)
    this.#tables.users.set(user.id, updated)
    return updated
  }

  /** Returns the user. Needs no lock, because transactions run one at a time. */
  lockUser(id: string): AdapterUser | null {
    return this.getUser(id)
  }

  deleteUser(userId: string): null {
    const user = this.#tables.users.get(userId)
    if (!user) return null
    this.#tables.users.delete(userId)
    this.#tables.emails.delete(user.email)
    for (const rows of [this.#tables.accounts, this.#tables.sessions, this.#tables.passkeys])
      for (const [key, row] of rows) if (row.userId === userId) rows.delete(key)
    return null
  }

  linkAccount(account: AdapterAccount): AdapterAccount {
    this.#requireUser(account.userId)
    if (this.#tables.accounts.has(accountKey(account))) throw new Error("this account is already linked")
    this.#tables.accounts.set(accountKey(account), account)
    return account
  }

  updateAccount(account: AdapterAccount): AdapterAccount | null {
    const stored = this.#tables.accounts.get(accountKey(account))
    if (!stored || stored.userId !== account.userId) return null
    const updated = { ...stored, ...omitUndefined(account) }
    this.#tables.accounts.set(accountKey(account), updated)
    return updated
  }

  unlinkAccount(account: AccountKey): undefined {
    this.#tables.accounts.delete(accountKey(account))
  }

  getAccount(providerAccountId: string, provider: string): AdapterAccount | null {
    return this.#tables.accounts.get(accountKey({ provider, providerAccountId })) ?? null
  }

  listAccountsByUserId(userId: string): AdapterAccount[] {
    return [...this.#tables.accounts.values()].filter((account) => account.userId === userId)
  }

  createSession(session: AdapterSession): AdapterSession {
    this.#requireUser(session.userId)
    this.deleteExpired(ROWS_CHECKED_PER_WRITE)
    const { sessionToken, ...row } = session
    const key = sha256Hex(sessionToken)
    // `generateSessionToken` of the application may return the same token twice. The second session must not overwrite
    // the session of another user.
    if (this.#tables.sessions.has(key)) throw new Error("a session with this token already exists")
    this.#tables.sessions.set(key, row)
    return session
  }

  getSessionAndUser(sessionToken: string): { session: AdapterSession; user: AdapterUser } | null {
    const row = this.#tables.sessions.get(sha256Hex(sessionToken))
    const user = row && this.#tables.users.get(row.userId)
    return user ? { session: { ...row, sessionToken }, user } : null
  }

  updateSession(change: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">): AdapterSession | null {
    const { sessionToken, ...members } = change
    const key = sha256Hex(sessionToken)
    const row = this.#tables.sessions.get(key)
    if (!row) return null
    const updated = { ...row, ...members }
    this.#tables.sessions.set(key, updated)
    return { ...updated, sessionToken }
  }

  deleteSession(sessionToken: string): AdapterSession | null {
    const key = sha256Hex(sessionToken)
    const row = this.#tables.sessions.get(key)
    this.#tables.sessions.delete(key)
    return row ? { ...row, sessionToken } : null
  }

  deleteSessionsByUserId(userId: string): void {
    for (const [key, row] of this.#tables.sessions) if (row.userId === userId) this.#tables.sessions.delete(key)
  }

  createVerificationToken(link: VerificationToken): VerificationToken {
    this.deleteExpired(ROWS_CHECKED_PER_WRITE)
    const { token, ...row } = link
    this.#tables.links.set(linkKey(link.identifier, token), row)
    return link
  }

  useVerificationToken({
    identifier,
    token,
  }: Pick<VerificationToken, "identifier" | "token">): VerificationToken | null {
    const key = linkKey(identifier, token)
    const row = this.#tables.links.get(key)
    this.#tables.links.delete(key)
    return row ? { ...row, token } : null
  }

  deleteVerificationTokens(identifier: string): void {
    for (const [key, row] of this.#tables.links) if (row.identifier === identifier) this.#tables.links.delete(key)
  }

  createAuthenticator(passkey: AdapterAuthenticator): AdapterAuthenticator {
    this.#requireUser(passkey.userId)
    if (this.#tables.passkeys.has(passkey.credentialID))
      throw new Error("a passkey with this credential id already exists")
    const { name: _, ...row } = { ...passkey, createdAt: new Date(this.#now()) }
    this.#tables.passkeys.set(row.credentialID, row)
    return row
  }

  getAuthenticator(credentialID: string): AdapterAuthenticator | null {
    return this.#tables.passkeys.get(credentialID) ?? null
  }

  listAuthenticatorsByUserId(userId: string): AdapterAuthenticator[] {
    return [...this.#tables.passkeys.values()].filter((passkey) => passkey.userId === userId)
  }

  updateAuthenticatorCounter(credentialID: string, counter: number): AdapterAuthenticator {
    const passkey = this.#requirePasskey(credentialID)
    // WebAuthn §6.1.1: a counter that does not increase indicates a copied passkey. An authenticator without a counter
    // always sends 0.
    const isAccepted = counter > passkey.counter || (counter === 0 && passkey.counter === 0)
    if (!isAccepted) throw new Error("the passkey's counter did not increase")
    const updated = { ...passkey, counter }
    this.#tables.passkeys.set(credentialID, updated)
    return updated
  }

  renameAuthenticator(credentialID: string, name: string | null): void {
    this.#tables.passkeys.set(credentialID, { ...this.#requirePasskey(credentialID), name })
  }

  deleteAuthenticator(credentialID: string): void {
    this.#tables.passkeys.delete(credentialID)
  }

  /**
   * Checks up to `limit` sessions and up to `limit` links, and deletes those that have expired. Returns the number of
   * deleted rows.
   */
  deleteExpired(limit = Number.POSITIVE_INFINITY): number {
    const { sessions, links } = this.#tables
    return [sessions, links].reduce((deleted, rows) => deleted + deleteExpiredRows(rows, this.#now(), limit), 0)
  }

  /** Returns a copy of all tables, to which `restore` can roll back. */
  save(): Tables {
    return new Tables(this.#tables)
  }

  restore(saved: Tables): void {
    this.#tables = new Tables(saved)
  }

  #requireUser(id: string): AdapterUser {
    const user = this.#tables.users.get(id)
    if (!user) throw new Error("there is no user with this id")
    return user
  }

  #requirePasskey(credentialID: string): AdapterAuthenticator {
    const passkey = this.#tables.passkeys.get(credentialID)
    if (!passkey) throw new Error("there is no passkey with this credential id")
    return passkey
  }

  /** Records that the email address, if there is one, belongs to this user. Throws if another user has the address. */
  #assignEmail({ email, id }: AdapterUser): void {
    if (!email) return
    if ((this.#tables.emails.get(email) ?? id) !== id) throw new Error("another user has this email address")
    this.#tables.emails.set(email, id)
  }
}
