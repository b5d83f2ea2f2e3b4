/**
 * The adapters that others have published, and what is known of each.
 *
 * @module
 */
import type { Adapter, AdapterMethod } from "../../../../lib/adapters/adapter.js"
import type { AdapterPromise } from "../../../../lib/adapters/testing.js"

export type Row = Record<string, unknown>

/** What stands in the store, read past the adapter. */
export interface Kept {
  users: Row[]
  accounts: Row[]
  sessions: Row[]
  links: Row[]
}

/** An adapter on a store of its own. */
export interface OpenAdapter {
  readonly adapter: Adapter
  kept(): Promise<Kept>
  /** Where the documented schema lacks them: one user for each address, one link for each account. */
  addUniqueKeys?(): Promise<void>
  /** Closes the store, and deletes what was made for it. */
  close(): Promise<void>
}

export interface Published {
  readonly name: string
  /** Where its server is. */
  readonly url?: string
  /** Why it can't run here. */
  readonly missing?: string | undefined
  /** Of two uses of one link at the same time one wins. */
  readonly isAtomic: boolean
  /** The store itself refuses a second user of an address, once `addUniqueKeys` was called. */
  readonly isUnique: boolean
  /** What it does not promise of the adapter contract. */
  readonly without: readonly AdapterPromise[]
  /** Methods that it has and that do something else. */
  readonly skip?: readonly AdapterMethod[]
  open(): Promise<OpenAdapter>
}

/** Does the store cut its keys, so that two addresses that differ after a `?` have one? */
export const takesForOne = ({ without }: Published): boolean => without.includes("two-part-keys")
