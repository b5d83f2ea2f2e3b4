/**
 * The records of provider tokens in the store: one for each account, encrypted.
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
/** How long tokens are kept after they were last written. */
const RETENTION_SECONDS = 400 * 86_400
/** After this time, tokens that are used are written again, so that they are kept. */
const REWRITE_SECONDS = 30 * 86_400

/** The account of a user at a provider. */
export interface AccountName {
  readonly provider: string
  readonly providerAccountId: string
}

/** The tokens of an account. Times are in milliseconds since 1970. */
export interface StoredTokens extends AccountName {
  readonly accessToken: string
  /** In lower case: "bearer" or "dpop". */
  readonly tokenType?: string | undefined
  readonly refreshToken?: string | undefined
  /** The granted scopes, as the provider has returned them. */
  readonly scope?: string | undefined
  /** The scopes that the last sign-in requested. */
  readonly requestedScope?: string | undefined
  /** When the last sign-in requested them. */
  readonly askedAt?: number | undefined
  /** `sub` of the id_token: the tokens of a renewal must belong to the same user. */
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
  /** The owner's hash. */
  readonly owner: string
  readonly tokens: StoredTokens
  /** True if the record was written long ago, or was encrypted with an older secret. */
  readonly isOld?: boolean
}

/** The address of a record: the owner and the account are hashed, because keys are short ASCII text. */
export const toTokenKey = (owner: string, { provider, providerAccountId }: AccountName): string =>
  sha256Base64url(JSON.stringify([owner, provider, providerAccountId]))

const hashOwner = (owner: string): string => sha256Base64url(owner)

interface RecordsContext {
  readonly store: Store
  readonly keys: Keyring
  readonly now: () => number
}

/** Waits for an operation of the store, but not forever: a call that never settles must not block later ones. */
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

  async read(key: string): Promise<TokenRecord | undefined> {
    const record = await waitForStore("get", this.#context.store.get(KIND, key))
    return record ? this.#open(record) : undefined
  }

  /** Returns the tokens of all accounts of an owner. */
  async list(owner: string): Promise<TokenRecord[]> {
    const records = await waitForStore("list", this.#context.store.list(KIND, hashOwner(owner)))
    return records.flatMap((record) => this.#open(record) ?? [])
  }

  /** Writes new tokens, if the record has not changed since `previous` was read. Returns whether it was written. */
  async put(owner: string, tokens: StoredTokens, previous: TokenRecord | undefined): Promise<boolean> {
    const key = toTokenKey(owner, tokens)
    const version = previous ? previous.version : await this.#findUnreadable(key)
    return (await this.#write({ key, version, owner: hashOwner(owner), tokens })) !== null
  }

  /** Returns the version of a record that can't be decrypted, and is therefore replaced; null if there is none. */
  async #findUnreadable(key: string): Promise<string | null> {
    const record = await waitForStore("get", this.#context.store.get(KIND, key))
    return record && !this.#open(record) ? record.version : null
  }

  /** Replaces a record, if it has not changed since it was read. Returns the new version, or null. */
  replace(record: TokenRecord): Promise<string | null> {
    return this.#write(record)
  }

  /** Deletes a record, if it has not changed since it was read. Returns whether it was deleted. */
  delete({ key, version }: TokenRecord): Promise<boolean> {
    return waitForStore("delete", this.#context.store.delete(KIND, key, version))
  }

  #write(record: Omit<TokenRecord, "version"> & { readonly version: string | null }): Promise<string | null> {
    const { store, keys, now } = this.#context
    const { key, version, owner, tokens } = record
    const value = seal({ ...tokens }, keys.for(PURPOSE), RETENTION_SECONDS, now())
    const expires = new Date(now() + RETENTION_SECONDS * 1000)
    return waitForStore("set", store.set(KIND, key, { value, owner, expires, ifVersion: version }))
  }

  /** Returns undefined if the secret with which the tokens were encrypted has been removed. */
  #open({ key, version, owner = "", value }: StoreRecord): TokenRecord | undefined {
    const { keys, now } = this.#context
    const { iat = 0, exp: _, jti: __, ...tokens } = openOrEmpty(value, keys.for(PURPOSE), now())
    if (!("accessToken" in tokens)) return undefined
    const isOld = now() / 1000 - iat > REWRITE_SECONDS || !isSealedWithNewest(value, keys.for(PURPOSE))
    // Only this module encrypts for this purpose, so the shape is known.
    return { key, version, owner, tokens: tokens as unknown as StoredTokens, isOld }
  }
}
