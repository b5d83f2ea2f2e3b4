/**
 * Reads and writes three kinds of records in the store: a record for each session, pointers by which a provider's
 * logout finds the sessions here, and cutoffs. A cutoff is the time at which all sessions of a group were ended.
 *
 * @module
 */
import { mapConcurrently } from "../base/task-queue.js"
import { mayBeUnregistered } from "../security/session-id.js"
import { sha256Base64url } from "../security/tokens.js"
import { listAll } from "../store/list-all.js"
import type { Store, StoreRecord } from "../store/store.js"
import type { RegisteredSession, SessionData, SessionGroup } from "./session.js"

export const SESSION_KIND = "session"
const PROVIDER_KIND = "provider-session"
const CUTOFF_KIND = "session-cutoff"

/** The shortest time between two writes of `lastSeenAt`. */
export const TOUCH_INTERVAL_MS = 5 * 60_000
/**
 * How long a record is kept after the expiry that it states, because the session may end later than that. A renewal
 * within `TOUCH_INTERVAL_MS` of the last write is not written, another process may have just renewed the cookie, and
 * cookies are accepted for 15 seconds after their expiry.
 */
const MARGIN_MS = 2 * TOUCH_INTERVAL_MS
/**
 * The longest lifetime of a cookie in browsers (RFC 6265bis §5.5). The cutoffs of owners are kept for at least this
 * long, because another application that shares the secret may issue cookies for longer than `session.maxAge`.
 */
const MAX_COOKIE_AGE_MS = 400 * 86_400_000
/** How many sessions of a provider's group are read concurrently. */
const MAX_READS = 10

/** The result of reading a session's record. */
export interface SessionRecord {
  /** Undefined if the session has no record. */
  readonly version?: string | undefined
  readonly ownerHash?: string | undefined
  /** Undefined if the session has ended, or has no record. */
  readonly data?: SessionData | undefined
}

interface WriteOptions {
  readonly ownerHash: string | undefined
  readonly ifVersion?: string | null | undefined
}

/**
 * The value of a record that marks its session as ended. It is written if the session would otherwise be registered
 * again at its next request.
 */
const ENDED = "ended"

const parseSessionData = ({ value }: StoreRecord): SessionData | undefined =>
  value === ENDED ? undefined : JSON.parse(value)

/**
 * Hashes the owner of a session, because the owner of a store record must be short ASCII text. The owner is converted
 * to a string first, because some adapters have numeric ids.
 */
export const hashOwner = (owner: string): string => sha256Base64url(String(owner))

/** Returns the kind and the owner with which the store lists the records of a group. */
export function groupAddress(group: SessionGroup): { readonly kind: string; readonly owner: string } {
  if ("owner" in group) return { kind: SESSION_KIND, owner: hashOwner(group.owner) }
  const subject = "sid" in group ? `sid:${group.sid}` : `sub:${group.sub}`
  return { kind: PROVIDER_KIND, owner: sha256Base64url(`${group.provider}:${subject}`) }
}

/** Returns the key of the pointer from one of a provider's groups to a session. */
const pointerKey = (group: SessionGroup, id: string): string => `${groupAddress(group).owner}.${id}`

/** Returns the groups of a session at its provider: by the provider's session (`sid`), and by its user (`sub`). */
export function providerGroups({ authentication }: Pick<SessionData, "authentication">): SessionGroup[] {
  const { provider = "", providerSid: sid, providerSub: sub } = authentication ?? {}
  return [...(sid ? [{ provider, sid }] : []), ...(sub ? [{ provider, sub }] : [])]
}

/** Returns all groups of a session. */
export function sessionGroups(data: SessionData): SessionGroup[] {
  const owner = data.authentication?.owner
  return [...(owner === undefined ? [] : [{ owner }]), ...providerGroups(data)]
}

export class SessionRecords {
  readonly #store: Store
  readonly #now: () => number
  /** The longest time for which a new or renewed session is valid without further use. */
  readonly #maxAgeMs: number

  constructor({ store, now, maxAge }: { readonly store: Store; readonly now: () => number; readonly maxAge: number }) {
    this.#store = store
    this.#now = now
    this.#maxAgeMs = maxAge * 1000
  }

  async read(id: string): Promise<SessionRecord> {
    const record = await this.#store.get(SESSION_KIND, id)
    return record ? { version: record.version, ownerHash: record.owner, data: parseSessionData(record) } : {}
  }

  /**
   * Writes a session's pointers and its record. Returns false if the record was not written, because the condition
   * `ifVersion` was not met.
   */
  async write(id: string, data: SessionData, { ownerHash, ifVersion }: WriteOptions): Promise<boolean> {
    const expires = new Date(data.expires + MARGIN_MS)
    await this.#writePointers(id, data, expires)
    const record = { value: JSON.stringify(data), owner: ownerHash, expires, ifVersion }
    return (await this.#store.set(SESSION_KIND, id, record)) !== null
  }

  /**
   * Deletes a session's record and its pointers. If the session could be registered again, writes a record with the
   * value `ENDED` instead of deleting the record. `validUntil` is the expiry of the session's cookie, if the caller
   * knows it.
   */
  async delete(id: string, data: SessionData | undefined, validUntil = 0): Promise<void> {
    if (mayBeUnregistered(id)) {
      // Without this record, the next request with the cookie would register the session again.
      const expires = this.#latestEnd(Math.max(validUntil, data?.expires ?? 0))
      await this.#store.set(SESSION_KIND, id, { value: ENDED, expires })
    } else await this.#store.delete(SESSION_KIND, id)
    const pointers = data ? providerGroups(data) : []
    await Promise.all(pointers.map((group) => this.#store.delete(PROVIDER_KIND, pointerKey(group, id))))
  }

  /** Lists the sessions of a group, the most recently used first. */
  async list(group: SessionGroup): Promise<RegisteredSession[]> {
    const { kind } = groupAddress(group)
    const records = await this.#listRecords(group)
    const read = async (record: StoreRecord): Promise<[string, SessionData | undefined]> =>
      kind === SESSION_KIND ? [record.key, parseSessionData(record)] : this.#readPointer(record)
    const found = await mapConcurrently(records, MAX_READS, read)
    const sessions = found.flatMap(([id, data]) => (data ? [{ id, ...data }] : []))
    return sessions.sort((a, b) => b.lastSeenAt - a.lastSeenAt)
  }

  /**
   * Writes the cutoff of a group. Sign-ins that began before the cutoff are rejected, and so are unregistered sessions
   * that were issued before it.
   */
  async writeCutoff(group: SessionGroup): Promise<void> {
    const { kind, owner } = groupAddress(group)
    const write = { value: String(this.#now()), expires: this.#latestEnd(this.#now() + this.#retentionMs(group)) }
    await this.#store.set(CUTOFF_KIND, `${kind}.${owner}`, write)
  }

  /**
   * True if all sessions of a group were ended at `issuedAt` or later. Also true if `issuedAt` is longer ago than
   * cutoffs are kept, because a later cutoff may have been deleted. A session without `issuedAt` is treated as issued
   * before every cutoff.
   */
  async isCutOff(group: SessionGroup, issuedAt: number | undefined): Promise<boolean> {
    if (issuedAt !== undefined && issuedAt < this.#now() - this.#retentionMs(group)) return true
    const { kind, owner } = groupAddress(group)
    const record = await this.#store.get(CUTOFF_KIND, `${kind}.${owner}`)
    return record !== null && (issuedAt ?? 0) <= Number(record.value)
  }

  /**
   * Returns how long a cutoff is kept. The groups of a provider contain only sessions of this package, whose cookies
   * last for `maxAge`. The sessions of an owner may also have cookies of another application, which last for up to
   * `MAX_COOKIE_AGE_MS`.
   */
  #retentionMs(group: SessionGroup): number {
    return "owner" in group ? Math.max(MAX_COOKIE_AGE_MS, this.#maxAgeMs) : this.#maxAgeMs
  }

  /**
   * Returns a time by which all cookies that this package has issued until now have expired, and also a cookie that
   * expires at `validUntil`.
   */
  #latestEnd(validUntil = 0): Date {
    return new Date(Math.max(this.#now() + this.#maxAgeMs, validUntil) + MARGIN_MS)
  }

  async #readPointer({ value: id }: StoreRecord): Promise<[string, SessionData | undefined]> {
    return [id, (await this.read(id)).data]
  }

  /**
   * Writes the pointers to a session. They are written before its record, so that a provider's logout finds every
   * session that has a record.
   */
  async #writePointers(id: string, data: SessionData, expires: Date): Promise<void> {
    const pointers = providerGroups(data).map(async (group) => {
      const { kind, owner } = groupAddress(group)
      await this.#store.set(kind, pointerKey(group, id), { value: id, owner, expires })
    })
    await Promise.all(pointers)
  }

  async #listRecords(group: SessionGroup): Promise<StoreRecord[]> {
    const { kind, owner } = groupAddress(group)
    const records: StoreRecord[] = []
    for await (const record of listAll(this.#store, kind, owner)) records.push(record)
    return records
  }
}
