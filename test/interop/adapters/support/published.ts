/**
 * The published adapters and their known limits.
 *
 * @module
 */
import type { Adapter, AdapterMethod } from "../../../../lib/adapters/adapter.js"
import type { AdapterGuarantee } from "../../../../lib/adapters/testing.js"

export type Row = Record<string, unknown>

/** The contents of the store, read without the adapter. */
export interface Kept {
  users: Row[]
  accounts: Row[]
  sessions: Row[]
  links: Row[]
}

/** An adapter with its own store. */
export interface OpenAdapter {
  readonly adapter: Adapter
  kept(): Promise<Kept>
  /** Adds unique keys for addresses and accounts where the documented schema lacks them. */
  addUniqueKeys?(): Promise<void>
  /** Closes the store and deletes its data. */
  close(): Promise<void>
}

export interface Published {
  readonly name: string
  /** The URL of its server. */
  readonly url?: string
  /** The reason why it cannot run here. */
  readonly missing?: string | undefined
  /** Whether exactly one of two concurrent uses of a link succeeds. */
  readonly isAtomic: boolean
  /** Whether the store rejects a second user with the same address after `addUniqueKeys`. */
  readonly isUnique: boolean
  /** The guarantees of the adapter tests that it lacks. */
  readonly without: readonly AdapterGuarantee[]
  /** Methods that behave differently. */
  readonly skip?: readonly AdapterMethod[]
  open(): Promise<OpenAdapter>
}

/** True if the store truncates keys at `?`, so that two addresses have the same key. */
export const sharesKeys = ({ without }: Published): boolean => without.includes("two-part-keys")
