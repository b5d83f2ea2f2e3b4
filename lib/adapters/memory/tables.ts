import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterClaim,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../adapter.js"

type SessionRow = Omit<AdapterSession, "sessionToken">
type LinkRow = Omit<VerificationToken, "token">
type ClaimRow = Omit<AdapterClaim, "id">

/** Everything that is kept. */
export class Tables {
  readonly users: Map<string, AdapterUser>
  /** Address → user id. */
  readonly emails: Map<string, string>
  readonly accounts: Map<string, AdapterAccount>
  /** By the hash of the token: who reads the memory can't sign in with it. */
  readonly sessions: Map<string, SessionRow>
  readonly links: Map<string, LinkRow>
  /** By id. */
  readonly claims: Map<string, ClaimRow>
  readonly passkeys: Map<string, AdapterAuthenticator>

  constructor(from?: Tables) {
    this.users = new Map(from?.users)
    this.emails = new Map(from?.emails)
    this.accounts = new Map(from?.accounts)
    this.sessions = new Map(from?.sessions)
    this.links = new Map(from?.links)
    this.claims = new Map(from?.claims)
    this.passkeys = new Map(from?.passkeys)
  }
}

/** Deletes what has ended among so many of the oldest rows; what has not is the youngest then. Gives how many. */
export function sweepRows(rows: Map<string, { readonly expires: Date }>, now: number, limit: number): number {
  const sizeBefore = rows.size
  for (const [key, row] of firstOf(rows, limit)) {
    rows.delete(key)
    if (row.expires.getTime() >= now) rows.set(key, row)
  }
  return sizeBefore - rows.size
}

function firstOf<Row>(rows: ReadonlyMap<string, Row>, limit: number): [string, Row][] {
  const first: [string, Row][] = []
  for (const entry of rows) {
    if (first.length >= limit) break
    first.push(entry)
  }
  return first
}
