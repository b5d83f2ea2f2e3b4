/**
 * Stores, renews and revokes the tokens with which the application calls a provider's API on behalf of its users.
 *
 * @module
 */
import { isWithinLast, withTimeout } from "../base/timeout.js"
import type { Account } from "../base/types.js"
import { AuthError, asAuthError, asError, ProviderUnavailable, ReauthenticationRequired } from "../errors/errors.js"
import type { Logger } from "../logging/logger.js"
import type { Keyring } from "../security/keys.js"
import { OUTBOUND_TIMEOUT_MS } from "../security/outbound.js"
import type { Store } from "../store/store.js"
import { type TokenContext, tokensFromAdapter, tokensFromSignIn } from "./account-tokens.js"
import { type RefreshTokens, TokenRenewal } from "./renewal.js"
import { TokenLists } from "./token-lists.js"
import {
  type AccountIdentifier,
  type StoredTokens,
  type TokenRecord,
  TokenRecords,
  toTokenKey,
} from "./token-records.js"
import { findSignInReason, hasJustFailed, isAging, isFresh, type TokenRules } from "./token-state.js"

const DEFAULT_MIN_VALID_SECONDS = 60
/**
 * A token younger than this is new. A new token is not renewed after a 401. A call that has waited for another call's
 * renewal returns a new token without renewing it again.
 */
const MIN_AGE_MS = 30_000
/** Longer than `OUTBOUND_TIMEOUT_MS`, so that a request that is too slow fails first, with an error with its URL. */
const REVOCATION_TIMEOUT_MS = OUTBOUND_TIMEOUT_MS + 500

/** Requests and revokes tokens at the providers. */
export interface TokenEndpoints {
  /** Returns how the provider's tokens are kept and renewed; undefined for a provider without tokens. */
  rulesFor(provider: string): TokenRules | undefined
  readonly refresh: RefreshTokens
  /** Revokes tokens at the provider, if the provider has a revocation endpoint. */
  revoke(tokens: StoredTokens): Promise<void>
  /** Adds the access token to a request and sends it. @throws TypeError if the URL is not of the provider's API */
  send(request: Request, tokens: StoredTokens): Promise<Response>
}

/** Describes the token that a call needs. */
export interface TokenRequest {
  readonly provider: string
  readonly providerAccountId?: string | undefined
  /** The scopes that the token must have, separated by spaces. */
  readonly scope?: string | undefined
  /** The minimum time for which the token must still be valid. Limited to a quarter of its lifetime. @default 60 */
  readonly minValidSeconds?: number | undefined
  /** An access token that the provider's API has rejected, so that another access token is needed. */
  readonly rejected?: string | undefined
  /** Returns the id of the account with which the user signed in, for users with several accounts at the provider. */
  readonly findSessionAccount?: () => Promise<string | undefined>
}

/** The tokens of an account, if there are any, and whether they can be used. */
export interface FoundTokens {
  readonly tokens?: StoredTokens | undefined
  /** Why the user has to sign in at the provider; undefined if the tokens can be used or renewed. */
  readonly signInReason?: string | undefined
}

export interface ProviderTokens {
  /** True if the tokens of this account are stored in the store. False if they are stored in the adapter. */
  usesStore(account: AccountIdentifier): boolean
  /** Stores the tokens of a sign-in. */
  put(owner: string, account: Account, context: TokenContext): Promise<void>
  /**
   * Copies the tokens of an account in the adapter to the store, unless the store already has tokens of this account.
   * Returns true if tokens were written.
   */
  importFromAdapter(owner: string, account: Account): Promise<boolean>
  /**
   * Returns tokens with a valid access token. Renews the tokens if needed.
   *
   * @throws ReauthenticationRequired if the user has to sign in at the provider; ProviderUnavailable if the provider
   * fails; AdapterError if the store fails; TypeError if it is unknown which of several accounts is meant
   */
  get(owner: string, request: TokenRequest): Promise<StoredTokens>
  /** Returns the tokens of an account, and the reason if they can't be used. Does not renew tokens. */
  find(owner: string, request: TokenRequest): Promise<FoundTokens>
  /**
   * Sends a request to the provider's API. If the API responds with 401 and the token is at least 30 seconds old, gets
   * another token and sends the request once more. `getTokens` returns valid tokens, with an access token other than
   * `rejected`.
   *
   * @throws TypeError if the URL is not of the provider's API, and the errors of `getTokens`
   */
  send(request: Request, getTokens: (rejected?: string) => Promise<StoredTokens>): Promise<Response>
  /** Deletes the tokens of an account, and revokes them at the provider. A failure of the provider is only logged. */
  remove(owner: string, account: AccountIdentifier): Promise<void>
  /** Deletes the tokens of all accounts of an owner, and revokes them as `remove` does. */
  removeAll(owner: string): Promise<void>
}

interface TokensContext {
  readonly store: Store
  readonly keys: Keyring
  readonly logger: Logger
  readonly now: () => number
  readonly endpoints: TokenEndpoints
}

interface FoundRecord {
  readonly record?: TokenRecord | undefined
  readonly signInReason?: string | undefined
  /** True if the user has several accounts, and it is unknown which one is meant. */
  readonly isAmbiguous?: boolean
}

class StoredProviderTokens implements ProviderTokens {
  readonly #context: TokensContext
  readonly #records: TokenRecords
  readonly #renewal: TokenRenewal
  readonly #lists: TokenLists
  /** The renewals in progress, by the key of the record. */
  readonly #pendingRenewals = new Map<string, Promise<TokenRecord>>()

  constructor(context: TokensContext) {
    this.#context = context
    this.#records = new TokenRecords(context)
    this.#lists = new TokenLists({ records: this.#records, log: (error) => this.#log(error) })
    this.#renewal = new TokenRenewal({
      records: this.#records,
      refresh: context.endpoints.refresh,
      revoke: (tokens) => this.#revoke(tokens),
      now: context.now,
    })
  }

  usesStore({ provider }: AccountIdentifier): boolean {
    return this.#context.endpoints.rulesFor(provider)?.isStored ?? false
  }

  async put(owner: string, account: Account, context: TokenContext): Promise<void> {
    if (!account.access_token || !this.usesStore(account)) return
    const key = toTokenKey(owner, account)
    let isWritten = false
    // Repeated, because a renewal may replace the refresh token between the read and the write.
    while (!isWritten) {
      const previous = await this.#records.read(key)
      const tokens = tokensFromSignIn(account, context, previous?.tokens, this.#context.now())
      isWritten = await this.#write(owner, tokens, previous)
    }
    this.#lists.invalidate(owner)
  }

  async importFromAdapter(owner: string, account: Account): Promise<boolean> {
    const tokens = this.usesStore(account) ? tokensFromAdapter(account, this.#context.now()) : undefined
    return tokens !== undefined && this.#write(owner, tokens, undefined)
  }

  /**
   * Writes tokens. Leaves out the refresh token if refresh tokens of this provider can't be used. Returns false if
   * `previous` is no longer current.
   */
  #write(owner: string, tokens: StoredTokens, previous: TokenRecord | undefined): Promise<boolean> {
    const { isRenewable } = this.#context.endpoints.rulesFor(tokens.provider) ?? {}
    return this.#records.put(owner, isRenewable ? tokens : { ...tokens, refreshToken: undefined }, previous)
  }

  async get(owner: string, request: TokenRequest): Promise<StoredTokens> {
    const { minValidSeconds = DEFAULT_MIN_VALID_SECONDS, rejected } = request
    const { record, signInReason, isAmbiguous } = await this.#findLatest(owner, request)
    if (isAmbiguous) throw new TypeError(`${signInReason}. Pass { providerAccountId } with the id of one of them`)
    if (!record || signInReason !== undefined)
      throw new ReauthenticationRequired(signInReason ?? "", { provider: request.provider })
    const { now } = this.#context
    const isUsable = (tokens: StoredTokens) =>
      !tokens.isRevoked && tokens.accessToken !== rejected && isFresh(tokens, minValidSeconds, now())
    if (!isUsable(record.tokens)) return this.#requireAccess(await this.#renew(owner, record, isUsable), request)
    if (isAging(record.tokens, now()) && !hasJustFailed(record.tokens, now())) this.#renewInBackground(owner, record)
    return record.tokens
  }

  /**
   * Checks renewed tokens, because a renewal may return fewer scopes (RFC 6749 §6). Returns the tokens.
   *
   * @throws ReauthenticationRequired if the user has to sign in, for example because a required scope is missing
   */
  #requireAccess(tokens: StoredTokens, request: TokenRequest): StoredTokens {
    const { endpoints, now } = this.#context
    const signInReason = findSignInReason(tokens, request, endpoints, now())
    if (signInReason !== undefined) throw new ReauthenticationRequired(signInReason, { provider: request.provider })
    return tokens
  }

  async find(owner: string, request: TokenRequest): Promise<FoundTokens> {
    const { record, signInReason } = await this.#findLatest(owner, request)
    return { tokens: record?.tokens, signInReason }
  }

  async send(request: Request, getTokens: (rejected?: string) => Promise<StoredTokens>): Promise<Response> {
    const { endpoints, now } = this.#context
    // Cloned, because a body can be read only once.
    const retryRequest = request.clone()
    const tokens = await getTokens()
    const response = await endpoints.send(request, tokens)
    // If the API rejects a new token, the reason is not the token's age, so a renewal would not help.
    if (response.status !== 401 || isWithinLast(MIN_AGE_MS, tokens.issuedAt, now())) {
      void retryRequest.body?.cancel()
      return response
    }
    void response.body?.cancel()
    return endpoints.send(retryRequest, await getTokens(tokens.accessToken))
  }

  remove(owner: string, account: AccountIdentifier): Promise<void> {
    return this.#deleteAndRevoke(owner, toTokenKey(owner, account))
  }

  /** Revokes tokens at the provider. A failure is only logged. */
  async #revoke(tokens: StoredTokens): Promise<void> {
    const { endpoints, logger } = this.#context
    const message = `the tokens of ${tokens.provider} were not revoked within ${OUTBOUND_TIMEOUT_MS / 1000} s`
    const revocation = withTimeout(endpoints.revoke(tokens), REVOCATION_TIMEOUT_MS, message)
    await revocation.catch((error: unknown) => logger.error(asError(error)))
  }

  async removeAll(owner: string): Promise<void> {
    const remove = async ({ key }: TokenRecord) => this.#deleteAndRevoke(owner, key)
    await Promise.all((await this.#records.list(owner)).map(remove))
  }

  async #deleteAndRevoke(owner: string, key: string): Promise<void> {
    const tokens = await this.#delete(owner, key)
    if (tokens) await this.#revoke(tokens)
  }

  /** Deletes a record and returns its latest tokens, even if a renewal writes new tokens in the meantime. */
  async #delete(owner: string, key: string): Promise<StoredTokens | undefined> {
    let record = await this.#records.read(key)
    while (record && !(await this.#records.delete(record))) record = await this.#records.read(key)
    this.#lists.invalidate(owner)
    return record?.tokens
  }

  /** Returns the record of the account, or all records of the provider if it is unknown which account is meant. */
  async #listCandidates(owner: string, request: TokenRequest): Promise<TokenRecord[]> {
    const records = (await this.#lists.get(owner)).filter(({ tokens }) => tokens.provider === request.provider)
    if (request.providerAccountId === undefined && records.length < 2) return records
    const id = request.providerAccountId ?? (await request.findSessionAccount?.())
    return id === undefined ? records : records.filter(({ tokens }) => tokens.providerAccountId === id)
  }

  async #find(owner: string, request: TokenRequest): Promise<FoundRecord> {
    const candidates = await this.#listCandidates(owner, request)
    const [record] = candidates
    if (candidates.length > 1)
      return {
        signInReason: `the user has ${candidates.length} accounts at ${request.provider}, and it is unknown which one is meant`,
        isAmbiguous: true,
      }
    return {
      record,
      signInReason: findSignInReason(record?.tokens, request, this.#context.endpoints, this.#context.now()),
    }
  }

  /** Finds the record. If it can't be used, reads it again without the cache: another process may have changed it. */
  async #findLatest(owner: string, request: TokenRequest): Promise<FoundRecord> {
    const found = await this.#find(owner, request)
    if (found.signInReason === undefined) return found
    this.#lists.invalidate(owner)
    return this.#find(owner, request)
  }

  /**
   * Renews the tokens of a record. If the provider is unavailable, returns the current tokens, unless they have expired
   * or the provider's API has rejected the access token.
   */
  async #renew(owner: string, record: TokenRecord, isUsable: (tokens: StoredTokens) => boolean): Promise<StoredTokens> {
    try {
      return (await this.#renewOnce(owner, record, isUsable)).tokens
    } catch (error) {
      const { expiresAt = 0 } = record.tokens
      const mayUseCurrent = error instanceof ProviderUnavailable && this.#context.now() < expiresAt
      if (mayUseCurrent && isUsable({ ...record.tokens, expiresAt: Infinity })) return record.tokens
      throw error
    }
  }

  /**
   * Renews a record, or waits for a renewal in progress. If the result of that renewal is neither usable nor new,
   * renews again.
   */
  async #renewOnce(
    owner: string,
    record: TokenRecord,
    isUsable: (tokens: StoredTokens) => boolean,
  ): Promise<TokenRecord> {
    const { key } = record
    const pending = this.#pendingRenewals.get(key)
    if (pending) {
      const joined = await pending
      const isNew = isWithinLast(MIN_AGE_MS, joined.tokens.issuedAt, this.#context.now())
      return isNew || isUsable(joined.tokens) ? joined : this.#renewOnce(owner, joined, isUsable)
    }
    const renewal = this.#renewal.renew(record, isUsable).finally(() => {
      this.#pendingRenewals.delete(key)
      this.#lists.invalidate(owner)
    })
    this.#pendingRenewals.set(key, renewal)
    return renewal
  }

  #renewInBackground(owner: string, record: TokenRecord): void {
    const { now } = this.#context
    this.#renewOnce(owner, record, (tokens) => !isAging(tokens, now())).catch((error: unknown) => this.#log(error))
  }

  /** Logs the failure of a background task. */
  #log(error: unknown): void {
    this.#context.logger.failure(asAuthError(error) ?? new AuthError(asError(error)))
  }
}

export const createProviderTokens = (context: TokensContext): ProviderTokens => new StoredProviderTokens(context)
