/**
 * The second factors of users in the store: one record for each user, encrypted.
 *
 * @module
 */
import { coded } from "../errors/error-codes.js"
import { AuthError } from "../errors/errors.js"
import { openOrEmpty, seal } from "../security/jwe.js"
import type { Keyring } from "../security/keys.js"
import { sha256Base64url } from "../security/tokens.js"
import type { Store } from "../store/store.js"
import type { StoredRecoveryCodes } from "./recovery-codes.js"

const KIND = "factor"
const PURPOSE = "latchkey.second-factor"
/** A century: a second factor does not expire. */
const MAX_AGE_SECONDS = 100 * 365 * 86_400

/** The second factor of a user. */
export interface FactorData {
  /** The secret of the authenticator app, as Base32. */
  readonly secret: string
  /** The time step of the last code that was accepted: it and earlier codes are refused (RFC 6238 §5.2). */
  readonly lastStep: number
  readonly recoveryCodes: StoredRecoveryCodes
  /** When the app was set up, in milliseconds since 1970. */
  readonly createdAt: number
}

export interface FactorRecord {
  readonly data: FactorData
  readonly version: string
}

interface RecordsContext {
  readonly store: Store
  readonly keys: Keyring
  readonly now: () => number
  readonly isProduction: boolean
}

export class FactorRecords {
  readonly #context: RecordsContext

  constructor(context: RecordsContext) {
    this.#context = context
  }

  /** @throws AuthError if the secret with which the record was encrypted has been removed: it must not count as missing */
  async read(owner: string): Promise<FactorRecord | undefined> {
    const { store, keys, now } = this.#context
    const found = await store.get(KIND, sha256Base64url(owner))
    if (!found) return undefined
    const { owner: sealedOwner, ...data } = openOrEmpty(found.value, keys.for(PURPOSE), now())
    if (sealedOwner !== owner) throw createUnreadableError()
    // Only this module encrypts for this purpose, so the shape is known.
    return { data: data as unknown as FactorData, version: found.version }
  }

  /**
   * Writes a second factor, if its record still has this version; null for a user without one. Returns false if not.
   *
   * @throws AuthError in production if the store may lose the record: that would turn the second factor off. Whether a
   * Redis server evicts records is known only after the start
   */
  async write(owner: string, data: FactorData, version: string | null): Promise<boolean> {
    const { store, keys, now, isProduction } = this.#context
    if (isProduction && !store.durable) throw createDurabilityError()
    const value = seal({ owner, ...data }, keys.for(PURPOSE), MAX_AGE_SECONDS, now())
    return (await store.set(KIND, sha256Base64url(owner), { value, expires: null, ifVersion: version })) !== null
  }

  /** Resolves to false if the user had no second factor. */
  delete(owner: string): Promise<boolean> {
    return this.#context.store.delete(KIND, sha256Base64url(owner))
  }
}

const createUnreadableError = () =>
  coded(
    "second-factor-unreadable",
    new AuthError(
      "the second factor of a user can't be decrypted, because it was encrypted with another secret. Add the former secret to the end of the list: secret: [current, former]",
    ),
  )

const createDurabilityError = () =>
  coded(
    "store-not-durable",
    new AuthError(
      "the store may lose records before they expire, so the second factor of a user was not stored. With Redis, set maxmemory-policy noeviction",
    ),
  )
