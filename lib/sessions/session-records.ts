/**
 * The records of sessions in the store: one for each session, those that lead from a provider's session to it, and the
 * times at which all sessions of a group were ended.
 *
 * @module
 */
import { mapConcurrently } from "../base/task-queue.js"
import { isUnregisteredId } from "../security/session-id.js"
import { sha256Base64url } from "../security/tokens.js"
import type { Store, StoreRecord } from "../store/store.js"
import type { RegisteredSession, SessionData, SessionGroup } from "./session.js"

export const SESSION_KIND = "session"
const PROVIDER_KIND = "provider-session"
const CUTOFF_KIND = "session-cutoff"

/** How often the time of the last use is written. */
export const TOUCH_INTERVAL_MS = 5 * 60_000
/**
 * How long a record outlives its session: a renewal shortly after a use is not written, another process may have just
 * renewed a cookie, and cookies are accepted for 15 seconds after their expiry.
 */
const MARGIN_MS = 2 * TOUCH_INTERVAL_MS
/** The longest lifetime of a cookie in browsers (RFC 6265bis §5.5). Another application may have issued it for longer. */
const MAX_COOKIE_AGE_MS = 400 * 86_400_000
const PAGE = 1_000
/** How many sessions of a provider's group are read at once. */
const MAX_READS = 10

/** What was read of a record. Without a version there is none. */
export interface SessionRecord {
  readonly version?: string | undefined
  /** The owner's hash. */
  readonly owner?: string | undefined
  /** Undefined if the session has ended. */
  readonly data?: SessionData | undefined
}

interface WriteOptions {
  /** The owner's hash. */
  readonly owner: string | undefined
  readonly ifVersion?: string | null | undefined
}

/** The value of the record of an ended session that could otherwise be registered again. */
const ENDED = "ended"

const parse = ({ value }: StoreRecord): SessionData | undefined => (value === ENDED ? undefined : JSON.parse(value))

/** Hashes an owner, because a store's owners are short ASCII text. Some adapters have numeric ids. */
export const hashOwner = (owner: string): string => sha256Base64url(String(owner))

/** The kind and the owner of a group's records. */
export function groupAddress(group: SessionGroup): { readonly kind: string; readonly owner: string } {
  if ("owner" in group) return { kind: SESSION_KIND, owner: hashOwner(group.owner) }
  const subject = "sid" in group ? `sid:${group.sid}` : `sub:${group.sub}`
  return { kind: PROVIDER_KIND, owner: sha256Base64url(`${group.provider}:${subject}`) }
}

/** The key of the record by which a session is found in a group of its provider. */
const pointerKey = (group: SessionGroup, id: string): string => `${groupAddress(group).owner}.${id}`

/** The groups of a session at its provider. */
export function providerGroups({ origin }: Pick<SessionData, "origin">): SessionGroup[] {
  const { provider = "", providerSid: sid, providerSub: sub } = origin ?? {}
  return [...(sid ? [{ provider, sid }] : []), ...(sub ? [{ provider, sub }] : [])]
}

/** All groups of a session. */
export function sessionGroups(data: SessionData): SessionGroup[] {
  const owner = data.origin?.owner
  return [...(owner === undefined ? [] : [{ owner }]), ...providerGroups(data)]
}

export class SessionRecords {
  readonly #store: Store
  readonly #now: () => number
  /** The longest possible remaining lifetime of a session. */
  readonly #maxAgeMs: number

  constructor({ store, now, maxAge }: { readonly store: Store; readonly now: () => number; readonly maxAge: number }) {
    this.#store = store
    this.#now = now
    this.#maxAgeMs = maxAge * 1000
  }

  async read(id: string): Promise<SessionRecord> {
    const record = await this.#store.get(SESSION_KIND, id)
    return record ? { version: record.version, owner: record.owner, data: parse(record) } : {}
  }

  /** Writes a session's record. Returns false if the condition `ifVersion` was not met. */
  async write(id: string, data: SessionData, { owner, ifVersion }: WriteOptions): Promise<boolean> {
    const expires = new Date(data.expires + MARGIN_MS)
    await this.#writePointers(id, data, expires)
    return (
      (await this.#store.set(SESSION_KIND, id, { value: JSON.stringify(data), owner, expires, ifVersion })) !== null
    )
  }

  /** Deletes a session's record. `validUntil` is the expiry of its cookie, if the caller has it. */
  async delete(id: string, data: SessionData | undefined, validUntil = 0): Promise<void> {
    if (isUnregisteredId(id)) {
      // Without this record, the next request with the cookie would register the session again.
      const expires = this.#latestEnd(Math.max(validUntil, data?.expires ?? 0))
      await this.#store.set(SESSION_KIND, id, { value: ENDED, expires })
    } else await this.#store.delete(SESSION_KIND, id)
    const pointers = data ? providerGroups(data) : []
    await Promise.all(pointers.map((group) => this.#store.delete(PROVIDER_KIND, pointerKey(group, id))))
  }

  /** Lists the sessions of a group, last used first. */
  async list(group: SessionGroup): Promise<RegisteredSession[]> {
    const { kind } = groupAddress(group)
    const records = await this.#listRecords(group)
    const read = async (record: StoreRecord): Promise<[string, SessionData | undefined]> =>
      kind === SESSION_KIND ? [record.key, parse(record)] : this.#follow(record)
    const found = await mapConcurrently(records, MAX_READS, read)
    const sessions = found.flatMap(([id, data]) => (data ? [{ id, ...data }] : []))
    return sessions.sort((one, other) => other.lastSeenAt - one.lastSeenAt)
  }

  /** Writes the time from which on the sessions of a group are accepted. */
  async writeCutoff(group: SessionGroup): Promise<void> {
    const { kind, owner } = groupAddress(group)
    const write = { value: String(this.#now()), expires: this.#latestEnd(this.#now() + this.#retentionMs(group)) }
    await this.#store.set(CUTOFF_KIND, `${kind}.${owner}`, write)
  }

  /**
   * True if all sessions of a group were ended after `issuedAt`, or in the same millisecond. Also true if that is no
   * longer known, because it was longer ago than cutoffs are kept. A session of unknown age was issued before any cutoff.
   */
  async isCutOff(group: SessionGroup, issuedAt: number | undefined): Promise<boolean> {
    if (issuedAt !== undefined && issuedAt < this.#now() - this.#retentionMs(group)) return true
    const { kind, owner } = groupAddress(group)
    const record = await this.#store.get(CUTOFF_KIND, `${kind}.${owner}`)
    return record !== null && (issuedAt ?? 0) <= Number(record.value)
  }

  /** How long a cutoff is kept. Only cookies of this package, which last for `maxAge`, contain a provider's session. */
  #retentionMs(group: SessionGroup): number {
    return "owner" in group ? Math.max(MAX_COOKIE_AGE_MS, this.#maxAgeMs) : this.#maxAgeMs
  }

  /** After this time, no cookie that was issued until now is valid, and none that expires at `validUntil`. */
  #latestEnd(validUntil = 0): Date {
    return new Date(Math.max(this.#now() + this.#maxAgeMs, validUntil) + MARGIN_MS)
  }

  async #follow({ value: id }: StoreRecord): Promise<[string, SessionData | undefined]> {
    return [id, (await this.read(id)).data]
  }

  /** Writes the records by which the provider's sessions are found, before the session itself. */
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
    let page: StoreRecord[]
    do {
      page = await this.#store.list(kind, owner, { limit: PAGE, after: records.at(-1)?.key })
      records.push(...page)
    } while (page.length === PAGE)
    return records
  }
}
