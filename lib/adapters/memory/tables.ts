import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../adapter.js"

type SessionRow = Omit<AdapterSession, "sessionToken">
type LinkRow = Omit<VerificationToken, "token">

/** The tables of the memory adapter: one map of rows for each kind of record. */
export class Tables {
  readonly users: Map<string, AdapterUser>
  /** Email address → user id. */
  readonly emails: Map<string, string>
  readonly accounts: Map<string, AdapterAccount>
  /** Keyed by the hash of the session token, so that a memory dump contains no valid token. */
  readonly sessions: Map<string, SessionRow>
  readonly links: Map<string, LinkRow>
  readonly passkeys: Map<string, AdapterAuthenticator>

  /** Copies the maps of `source`, or creates empty maps. Rows are immutable, so they are not copied. */
  constructor(source?: Tables) {
    this.users = new Map(source?.users)
    this.emails = new Map(source?.emails)
    this.accounts = new Map(source?.accounts)
    this.sessions = new Map(source?.sessions)
    this.links = new Map(source?.links)
    this.passkeys = new Map(source?.passkeys)
  }
}

/**
 * Checks the first `limit` rows and deletes those that have expired. The other checked rows move to the end of the map,
 * so that the next call checks different rows. Returns the number of deleted rows.
 */
export function deleteExpiredRows(rows: Map<string, { readonly expires: Date }>, now: number, limit: number): number {
  const sizeBefore = rows.size
  for (const [key, row] of takeFirst(rows, limit)) {
    rows.delete(key)
    if (row.expires.getTime() >= now) rows.set(key, row)
  }
  return sizeBefore - rows.size
}

function takeFirst<Row>(rows: ReadonlyMap<string, Row>, limit: number): [string, Row][] {
  const first: [string, Row][] = []
  for (const entry of rows) {
    if (first.length >= limit) break
    first.push(entry)
  }
  return first
}
