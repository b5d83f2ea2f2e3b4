import { randomBytes } from "node:crypto"
import type { BuiltInAdapter } from "../../../lib/adapters/adapter.js"

/** The numbers of rows. `links` are stored sign-in links. */
export interface Counts {
  users: number
  accounts: number
  sessions: number
  links: number
}

/** A new empty store. */
export interface OpenStore {
  readonly adapter: BuiltInAdapter
  /** Everything in it as text. */
  dump(): Promise<string>
  counts(): Promise<Counts>
  /** Closes the store and deletes its data. */
  close(): Promise<void>
}

export interface Store {
  readonly name: string
  /** The URL of the server; absent if the store has no server. */
  readonly url?: string
  /** `now` is the adapter's time, in milliseconds since 1970. */
  create(options?: { now?: () => number }): Promise<OpenStore>
}

/** A unique name. */
export const uniqueName = (): string => `latchkey_${randomBytes(6).toString("hex")}`
