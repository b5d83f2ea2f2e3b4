/**
 * Renews provider tokens. Only one process at a time renews the tokens of an account, and the other processes wait for
 * the result.
 *
 * A process first writes a lease into the record of the tokens, and then renews them. If this process is killed,
 * another process takes over after `LEASE_MS`. Each process measures this time with its own clock.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { withTimeout } from "../base/timeout.js"
import { asError, ProviderUnavailable, ReauthenticationRequired } from "../errors/errors.js"
import { randomText } from "../security/tokens.js"
import type { StoredTokens, TokenRecord, TokenRecords } from "./token-records.js"
import { hasJustFailed } from "./token-state.js"

/** How long a lease is valid: longer than REQUEST_MS, GRACE_MS and all WRITE_PAUSES_MS together. */
const LEASE_MS = 10_000
/**
 * The time limit for writing the lease and for everything that `refresh` does: loading the metadata, the request, and
 * the functions in the provider's options.
 */
const REQUEST_MS = 6_500
/**
 * `withTimeout` waits this much longer than a request, so that a request that is too slow fails first, with an error
 * that contains its URL.
 */
const GRACE_MS = 500
/** The interval at which a waiting process reads the record. */
const POLL_MS = 50
/**
 * The pauses before the attempts to store new tokens. A failed attempt is repeated, because the old refresh token may
 * already be invalid.
 */
const WRITE_PAUSES_MS = [0, 100, 500, 2_000]

/** The tokens that a renewal returns. A provider without refresh token rotation returns no refresh token. */
export type RenewedTokens = Pick<
  StoredTokens,
  "accessToken" | "tokenType" | "refreshToken" | "scope" | "issuedAt" | "expiresAt"
>

/**
 * Requests new tokens from the provider. After `deadline`, the refresh token is not sent.
 *
 * @throws ReauthenticationRequired if the provider rejects the refresh token; any other error if it can't be reached
 */
export type RefreshTokens = (tokens: StoredTokens, deadline: AbortSignal) => Promise<RenewedTokens>

interface RenewalContext {
  readonly records: TokenRecords
  readonly refresh: RefreshTokens
  /** Revokes tokens at the provider. Does not reject. */
  readonly revoke: (tokens: StoredTokens) => Promise<void>
  readonly now: () => number
}

/** Runs an operation of the store, and repeats it after each pause until it succeeds. @throws the last error */
async function withRetries<T>(operation: () => Promise<T>): Promise<T> {
  let lastError: unknown
  for (const pause of WRITE_PAUSES_MS) {
    if (pause > 0) await setTimeout(pause)
    try {
      return await operation()
    } catch (error) {
      lastError = error
    }
  }
  throw lastError
}

/**
 * Returns the tokens to store after a renewal that sent the refresh token of `used`. If a sign-in has stored a newer
 * access token in the meantime, the newer access token is kept, unless the provider has rejected the refresh token
 * since then.
 */
function mergeRenewed(latest: StoredTokens, used: StoredTokens, renewed: RenewedTokens): StoredTokens {
  const { lease: _, failedAt: __, isRevoked, ...tokens } = latest
  const refreshToken = renewed.refreshToken ?? used.refreshToken
  if (latest.accessToken !== used.accessToken && !isRevoked) return { ...tokens, refreshToken }
  return { ...tokens, ...renewed, refreshToken, scope: renewed.scope ?? tokens.scope }
}

/** @throws ReauthenticationRequired if the tokens can't be renewed, ProviderUnavailable if a renewal has just failed */
function requireRenewable(tokens: StoredTokens, now: number): void {
  const { provider, refreshToken, isRevoked } = tokens
  if (isRevoked) throw new ReauthenticationRequired("the provider has rejected the refresh token", { provider })
  if (!refreshToken)
    throw new ReauthenticationRequired(
      "the access token has expired or was rejected by the API, and there is no refresh token",
      { provider },
    )
  if (hasJustFailed(tokens, now))
    throw new ProviderUnavailable("the provider failed to renew the tokens less than two seconds ago", { provider })
}

export class TokenRenewal {
  readonly #context: RenewalContext

  constructor(context: RenewalContext) {
    this.#context = context
  }

  /**
   * Returns the record with usable tokens: renews the tokens, or waits until another process has renewed them.
   *
   * @throws ReauthenticationRequired if the tokens can't be renewed; ProviderUnavailable if the provider fails;
   * AdapterError if the store fails
   */
  async renew({ key, tokens }: TokenRecord, isUsable: (tokens: StoredTokens) => boolean): Promise<TokenRecord> {
    const { records, now } = this.#context
    const isLeaseOver = watchLease()
    for (;;) {
      const record = await records.read(key)
      if (!record) throw new ReauthenticationRequired("the account was disconnected", { provider: tokens.provider })
      if (isUsable(record.tokens)) return record
      requireRenewable(record.tokens, now())
      if (record.tokens.lease !== undefined && !isLeaseOver(record.version)) await setTimeout(POLL_MS)
      else {
        const renewed = await this.#renewWithLease(record)
        if (renewed) return renewed
      }
    }
  }

  /** Writes the lease and renews the tokens. Returns undefined if another process has changed the record. */
  async #renewWithLease(record: TokenRecord): Promise<TokenRecord | undefined> {
    // Measured before the write, so that this process gives up before another process considers the lease expired.
    const startedAt = performance.now()
    const next = { ...record, tokens: { ...record.tokens, lease: randomText() } }
    const version = await this.#context.records.replace(next)
    if (version === null) return undefined
    const leased = { ...next, version }
    return this.#refresh(leased.tokens, startedAt).then(
      (renewed) => this.#save(leased, renewed),
      (error: unknown) => this.#recordFailure(leased, asError(error)),
    )
  }

  /** @throws Error if the provider does not respond in time, or if the process was paused since `startedAt` */
  async #refresh(tokens: StoredTokens, startedAt: number): Promise<RenewedTokens> {
    const remainingMs = Math.floor(startedAt + REQUEST_MS - performance.now())
    const message = `no new tokens within ${REQUEST_MS / 1000} s, including the functions in the provider's options`
    if (remainingMs <= 0) throw new Error(message)
    const refresh = this.#context.refresh(tokens, AbortSignal.timeout(remainingMs))
    return withTimeout(refresh, remainingMs + GRACE_MS, message)
  }

  /**
   * Stores new tokens. Returns undefined if the refresh token was replaced in the meantime, or if the record was
   * deleted. If the record was deleted, revokes the new tokens.
   */
  async #save(leased: TokenRecord, renewed: RenewedTokens): Promise<TokenRecord | undefined> {
    const { records } = this.#context
    let latest = leased
    // Repeated only after another process has written the record.
    for (;;) {
      const next = { ...latest, tokens: mergeRenewed(latest.tokens, leased.tokens, renewed) }
      const version = await withRetries(() => records.replace(next))
      if (version !== null) return { ...next, version }
      const found = await withRetries(() => records.read(leased.key))
      // The account was disconnected. Only the old tokens were revoked then, so the new tokens are revoked here.
      if (!found) return void (await this.#context.revoke({ ...leased.tokens, ...renewed }))
      // A sign-in, or a process that took over the lease, has replaced the refresh token.
      if (found.tokens.refreshToken !== leased.tokens.refreshToken) return undefined
      latest = found
    }
  }

  /** Stores the failure and throws it. Returns undefined if another process has changed the record in the meantime. */
  async #recordFailure(leased: TokenRecord, error: Error): Promise<undefined> {
    const { records, now } = this.#context
    const { lease: _, ...tokens } = leased.tokens
    const isRevoked = error instanceof ReauthenticationRequired
    // The refresh token is kept although it may have been rejected. A slow process may have renewed these tokens with
    // it, and `#save` stores the new tokens only if the record still has the same refresh token.
    const failed = isRevoked ? { ...tokens, isRevoked } : { ...tokens, failedAt: now() }
    const version = await records.replace({ ...leased, tokens: failed })
    if (version === null) return undefined
    if (isRevoked) throw error
    throw new ProviderUnavailable("the provider did not renew the tokens", { provider: tokens.provider, err: error })
  }
}

/** Returns a function that returns true once a record has kept the same version for longer than a lease. */
function watchLease(): (version: string) => boolean {
  let lastVersion: string | undefined
  let firstSeenAt = 0
  return (version) => {
    if (version !== lastVersion) {
      lastVersion = version
      firstSeenAt = performance.now()
    }
    return performance.now() - firstSeenAt > LEASE_MS
  }
}
