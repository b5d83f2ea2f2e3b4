import { randomBytes } from "node:crypto"
import type { OwnAdapter } from "../../../lib/adapters/adapter.js"

/** How many rows there are; `links` are sign-in links that were sent. */
export interface Counts {
  users: number
  accounts: number
  sessions: number
  links: number
}

/** A store of its own, empty and ready. */
export interface OpenStore {
  readonly adapter: OwnAdapter
  /** Everything in it as text. */
  dump(): Promise<string>
  counts(): Promise<Counts>
  /** Closes it, and deletes what was made for it. */
  close(): Promise<void>
}

export interface Store {
  readonly name: string
  /** Where the server is; none for what runs in this process. */
  readonly url?: string
  /** `now` is the adapter's time, in milliseconds since 1970. */
  create(options?: { now?: () => number }): Promise<OpenStore>
}

/** A name that no other test has. */
export const uniqueName = (): string => `latchkey_${randomBytes(6).toString("hex")}`
