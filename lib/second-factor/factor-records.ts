/**
 * Stores the second factor of each user in one encrypted record.
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
/** The lifetime of the encrypted value: 100 years, because a second factor does not expire. */
const MAX_AGE_SECONDS = 100 * 365 * 86_400

/** The second factor of a user, as its record contains it. */
export interface FactorData {
  /** The secret of the authenticator app, as Base32. */
  readonly secret: string
  /** The time step of the last accepted code. Codes of this and of earlier steps are refused (RFC 6238 §5.2). */
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

  /**
   * Reads the second factor of a user; undefined if the user has none.
   *
   * @throws AuthError if the record can't be decrypted, because its secret was removed from the configuration. A result
   * of undefined would let the user sign in without the second factor
   */
  async read(owner: string): Promise<FactorRecord | undefined> {
    const { store, keys, now } = this.#context
    const record = await store.get(KIND, sha256Base64url(owner))
    if (!record) return undefined
    const { owner: sealedOwner, ...data } = openOrEmpty(record.value, keys.for(PURPOSE), now())
    if (sealedOwner !== owner) throw createUnreadableError()
    // The cast is safe, because only this module encrypts for this purpose.
    return { data: data as unknown as FactorData, version: record.version }
  }

  /**
   * Writes a second factor and returns the new version, if its record still has this version. The version null means
   * that there must be no record. Otherwise writes nothing and returns null.
   *
   * @throws AuthError in production if the store may lose the record, which would turn the second factor off. The check
   * at startup is not enough, because it is known only later whether a Redis server evicts records
   */
  async write(owner: string, data: FactorData, version: string | null): Promise<string | null> {
    const { store, keys, now, isProduction } = this.#context
    if (isProduction && !store.durable) throw createDurabilityError()
    const value = seal({ owner, ...data }, keys.for(PURPOSE), MAX_AGE_SECONDS, now())
    return store.set(KIND, sha256Base64url(owner), { value, expires: null, ifVersion: version })
  }

  /** Deletes the second factor of a user. Resolves to false if the user had none, or if it has another version. */
  delete(owner: string, ifVersion?: string): Promise<boolean> {
    return this.#context.store.delete(KIND, sha256Base64url(owner), ifVersion)
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
