/**
 * Stores the provider tokens of each account in one encrypted record.
 *
 * @module
 */
import type { PrivateJwk } from "../base/private-jwk.js"
import { withTimeout } from "../base/timeout.js"
import { READ_TIMEOUT_MS } from "../cache/single-flight.js"
import { AdapterError, TIMED_OUT } from "../errors/errors.js"
import { isSealedWithNewest, openOrEmpty, seal } from "../security/jwe.js"
import type { Keyring } from "../security/keys.js"
import { sha256Base64url } from "../security/tokens.js"
import type { Store, StoreRecord } from "../store/store.js"

const KIND = "token"
const PURPOSE = "latchkey.provider-token"
/** How long a record is kept after it was last written. */
const RETENTION_SECONDS = 400 * 86_400
/** A record that is read after this time is written again, so that tokens in use are kept. */
const REWRITE_AFTER_SECONDS = 30 * 86_400

/** Identifies the account of a user at a provider. */
export interface AccountIdentifier {
  readonly provider: string
  readonly providerAccountId: string
}

/** The tokens of an account. Times are in milliseconds since 1970. */
export interface StoredTokens extends AccountIdentifier {
  readonly accessToken: string
  /** In lower case: "bearer" or "dpop". */
  readonly tokenType?: string | undefined
  readonly refreshToken?: string | undefined
  /** The granted scopes, as the provider has returned them. */
  readonly scope?: string | undefined
  /** The scopes that the last sign-in requested. */
  readonly requestedScope?: string | undefined
  /** When the last sign-in requested these scopes. */
  readonly requestedAt?: number | undefined
  /** `sub` of the id_token. Renewed tokens must belong to the same user. */
  readonly subject?: string | undefined
  /** The key to which the access token is bound (RFC 9449). */
  readonly dpopKey?: PrivateJwk | undefined
  readonly issuedAt: number
  /** Undefined if the access token does not expire. */
  readonly expiresAt?: number | undefined
  /** Set while a process requests new tokens from the provider. */
  readonly lease?: string | undefined
  /** When the provider last failed to renew the tokens. */
  readonly failedAt?: number | undefined
  /** True once the provider has rejected the refresh token. */
  readonly isRevoked?: boolean | undefined
}

export interface TokenRecord {
  readonly key: string
  readonly version: string
  readonly ownerHash: string
  readonly tokens: StoredTokens
  /** True if the record should be written again: it is older than 30 days, or was encrypted with an older secret. */
  readonly isOld?: boolean
}

/** Returns the key of a record: a hash of the owner and the account, because a key must be short ASCII text. */
export const toTokenKey = (owner: string, { provider, providerAccountId }: AccountIdentifier): string =>
  sha256Base64url(JSON.stringify([owner, provider, providerAccountId]))

const hashOwner = (owner: string): string => sha256Base64url(owner)

interface RecordsContext {
  readonly store: Store
  readonly keys: Keyring
  readonly now: () => number
}

/** Limits the time of a store operation: a call that never settles must not block later calls. */
function waitForStore<T>(operation: "get" | "set" | "delete" | "list", result: Promise<T>): Promise<T> {
  const method = `store.${operation}`
  const createError = () =>
    new AdapterError(`${method} did not settle within ${READ_TIMEOUT_MS / 1000} s`, { method }, TIMED_OUT)
  return withTimeout(result, READ_TIMEOUT_MS, createError)
}

export class TokenRecords {
  readonly #context: RecordsContext

  constructor(context: RecordsContext) {
    this.#context = context
  }

  /** Reads a record. Undefined if there is none, or if it can't be decrypted. */
  async read(key: string): Promise<TokenRecord | undefined> {
    const record = await waitForStore("get", this.#context.store.get(KIND, key))
    return record ? this.#open(record) : undefined
  }

  /** Returns the records of all accounts of an owner, except records that can't be decrypted. */
  async list(owner: string): Promise<TokenRecord[]> {
    const records = await waitForStore("list", this.#context.store.list(KIND, hashOwner(owner)))
    return records.flatMap((record) => this.#open(record) ?? [])
  }

  /**
   * Writes new tokens. Returns false if the record has changed since `previous` was read. Without `previous`, returns
   * false if there is a record that can be decrypted.
   */
  async put(owner: string, tokens: StoredTokens, previous: TokenRecord | undefined): Promise<boolean> {
    const key = toTokenKey(owner, tokens)
    const version = previous ? previous.version : await this.#findUnreadable(key)
    return (await this.#write({ key, version, ownerHash: hashOwner(owner), tokens })) !== null
  }

  /** Returns the version of a record that can't be decrypted, so that it can be replaced; null if there is none. */
  async #findUnreadable(key: string): Promise<string | null> {
    const record = await waitForStore("get", this.#context.store.get(KIND, key))
    return record && !this.#open(record) ? record.version : null
  }

  /** Replaces a record. Returns the new version, or null if the record has changed since it was read. */
  replace(record: TokenRecord): Promise<string | null> {
    return this.#write(record)
  }

  /** Deletes a record. Returns false if the record has changed since it was read. */
  delete({ key, version }: TokenRecord): Promise<boolean> {
    return waitForStore("delete", this.#context.store.delete(KIND, key, version))
  }

  #write(record: Omit<TokenRecord, "version"> & { readonly version: string | null }): Promise<string | null> {
    const { store, keys, now } = this.#context
    const { key, version, ownerHash, tokens } = record
    const value = seal({ ...tokens }, keys.for(PURPOSE), RETENTION_SECONDS, now())
    const expires = new Date(now() + RETENTION_SECONDS * 1000)
    return waitForStore("set", store.set(KIND, key, { value, owner: ownerHash, expires, ifVersion: version }))
  }

  /** Decrypts a record. Undefined if the secret with which it was encrypted has been removed. */
  #open({ key, version, owner: ownerHash = "", value }: StoreRecord): TokenRecord | undefined {
    const { keys, now } = this.#context
    const { iat = 0, exp: _, jti: __, ...tokens } = openOrEmpty(value, keys.for(PURPOSE), now())
    if (!("accessToken" in tokens)) return undefined
    const isOld = now() / 1000 - iat > REWRITE_AFTER_SECONDS || !isSealedWithNewest(value, keys.for(PURPOSE))
    // The cast is safe, because only this module encrypts for this purpose.
    return { key, version, ownerHash, tokens: tokens as unknown as StoredTokens, isOld }
  }
}
