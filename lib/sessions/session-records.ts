import type { SessionOrigin } from "../base/types.js"
import { sha256Base64url } from "../security/tokens.js"
import type { Store } from "../store/store.js"
import { formatOrigin, parseOrigin } from "./origin.js"

const KIND = "session"

/** The records of database sessions in the store. Without a store there are none. */
export interface SessionRecords {
  /** Creates the record of a new session. */
  create(token: string, origin: SessionOrigin, expires: Date): Promise<void>
  /** Returns how a session was opened; undefined without a record. */
  readOrigin(token: string): Promise<SessionOrigin | undefined>
  /** Extends a record with its session. */
  extend(token: string, expires: Date): Promise<void>
  delete(token: string): Promise<void>
}

/** Keys and owners are hashes: a token must not be readable in the store, and ids of accounts may be any text. */
export function createSessionRecords(store: Store | undefined): SessionRecords {
  return {
    async create(token, origin, expires) {
      const owner = sha256Base64url(origin.owner)
      await store?.set(KIND, sha256Base64url(token), { value: formatOrigin(origin), owner, expires })
    },
    readOrigin: async (token) => parseOrigin((await store?.get(KIND, sha256Base64url(token)))?.value),
    async extend(token, expires) {
      const record = await store?.get(KIND, sha256Base64url(token))
      if (!record) return
      const { key, value, owner, version } = record
      await store?.set(KIND, key, { value, owner, expires, ifVersion: version })
    },
    async delete(token) {
      await store?.delete(KIND, sha256Base64url(token))
    },
  }
}
