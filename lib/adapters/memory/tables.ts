import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../adapter.js"

type SessionRow = Omit<AdapterSession, "sessionToken">
type LinkRow = Omit<VerificationToken, "token">

/** All stored rows. */
export class Tables {
  readonly users: Map<string, AdapterUser>
  /** Address → user id. */
  readonly emails: Map<string, string>
  readonly accounts: Map<string, AdapterAccount>
  /** Keyed by the token's hash, so that a memory dump contains no valid token. */
  readonly sessions: Map<string, SessionRow>
  readonly links: Map<string, LinkRow>
  readonly passkeys: Map<string, AdapterAuthenticator>

  constructor(from?: Tables) {
    this.users = new Map(from?.users)
    this.emails = new Map(from?.emails)
    this.accounts = new Map(from?.accounts)
    this.sessions = new Map(from?.sessions)
    this.links = new Map(from?.links)
    this.passkeys = new Map(from?.passkeys)
  }
}

/**
 * Checks the given number of the oldest rows and deletes the expired ones; the others move to the end. Returns the
 * number of deleted rows.
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
