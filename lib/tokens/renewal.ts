/**
 * Renews provider tokens: of all processes, one requests new tokens, and the others wait for its result.
 *
 * A process that renews tokens first writes a lease into their record. If it is killed, another process takes over
 * after `LEASE_MS`, which each process measures with its own clock.
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
/** The time limit for the metadata, the request and the application's functions together. */
const REQUEST_MS = 6_500
/** Lets a request time out first, so that its error names the request. */
const GRACE_MS = 500
const POLL_MS = 50
/** The pauses before the attempts to store new tokens, which are repeated because the old refresh token may be invalid. */
const WRITE_PAUSES_MS = [0, 100, 500, 2_000]

/** What a provider returns when tokens are renewed. A provider that does not rotate returns no refresh token. */
export type RenewedTokens = Pick<
  StoredTokens,
  "accessToken" | "tokenType" | "refreshToken" | "scope" | "issuedAt" | "expiresAt"
>

/**
 * Requests new tokens from the provider. After `deadline`, the refresh token is not sent.
 *
 * @throws ReauthenticationRequired if the provider rejects the refresh token; any other error if it can't be reached
 */
export type RequestTokens = (tokens: StoredTokens, deadline: AbortSignal) => Promise<RenewedTokens>

interface RenewalContext {
  readonly records: TokenRecords
  readonly request: RequestTokens
  /** Revokes tokens at the provider. Does not reject. */
  readonly revoke: (tokens: StoredTokens) => Promise<void>
  readonly now: () => number
}

async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  let failure: unknown
  for (const pause of WRITE_PAUSES_MS) {
    if (pause > 0) await setTimeout(pause)
    try {
      return await work()
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** The tokens to store after a renewal. A sign-in in the meantime has written a newer access token, which is kept. */
function mergeRenewed(latest: StoredTokens, used: StoredTokens, renewed: RenewedTokens): StoredTokens {
  const { lease: _, failedAt: __, isRevoked, ...tokens } = latest
  const refreshToken = renewed.refreshToken ?? used.refreshToken
  if (latest.accessToken !== used.accessToken && !isRevoked) return { ...tokens, refreshToken }
  return { ...tokens, ...renewed, refreshToken, scope: renewed.scope ?? tokens.scope }
}

/** @throws ReauthenticationRequired, ProviderUnavailable if the tokens can't be renewed at the moment */
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
   * Returns the record once its tokens are usable, and renews them if they are not.
   *
   * @throws ReauthenticationRequired, ProviderUnavailable; AdapterError if the store fails
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

  /** Takes the lease and renews the tokens. Returns undefined if another process was faster. */
  async #renewWithLease(record: TokenRecord): Promise<TokenRecord | undefined> {
    // Measured before the write, so that this process stops before the lease ends in any other process.
    const startedAt = performance.now()
    const leased = { ...record, tokens: { ...record.tokens, lease: randomText() } }
    const version = await this.#context.records.replace(leased)
    if (version === null) return undefined
    const current = { ...leased, version }
    return this.#request(leased.tokens, startedAt).then(
      (renewed) => this.#save(current, renewed),
      (error: unknown) => this.#recordFailure(current, asError(error)),
    )
  }

  /** @throws Error if the provider does not respond in time, or if the process was paused since `startedAt` */
  async #request(tokens: StoredTokens, startedAt: number): Promise<RenewedTokens> {
    const remainingMs = Math.floor(startedAt + REQUEST_MS - performance.now())
    const late = `no new tokens within ${REQUEST_MS / 1000} s, all calls and the provider's own functions together`
    if (remainingMs <= 0) throw new Error(late)
    const request = this.#context.request(tokens, AbortSignal.timeout(remainingMs))
    return withTimeout(request, remainingMs + GRACE_MS, late)
  }

  async #save(leased: TokenRecord, renewed: RenewedTokens): Promise<TokenRecord | undefined> {
    const { records } = this.#context
    let latest = leased
    // Each further attempt follows a write of another process.
    for (;;) {
      const next = { ...latest, tokens: mergeRenewed(latest.tokens, leased.tokens, renewed) }
      const version = await withRetries(() => records.replace(next))
      if (version !== null) return { ...next, version }
      const found = await withRetries(() => records.read(leased.key))
      // The account was disconnected, which has revoked only the old tokens.
      if (!found) return void (await this.#context.revoke({ ...leased.tokens, ...renewed }))
      // A sign-in, or a process that took over the lease, has replaced the refresh token.
      if (found.tokens.refreshToken !== leased.tokens.refreshToken) return undefined
      latest = found
    }
  }

  /** Records that the provider failed. Returns if the record has newer tokens in the meantime, and throws otherwise. */
  async #recordFailure(leased: TokenRecord, error: Error): Promise<undefined> {
    const { records, now } = this.#context
    const { lease: _, ...tokens } = leased.tokens
    const isRevoked = error instanceof ReauthenticationRequired
    // The refresh token is kept, so that a slow process that has renewed these tokens still recognises the record.
    const failed = isRevoked ? { ...tokens, isRevoked } : { ...tokens, failedAt: now() }
    const version = await records.replace({ ...leased, tokens: failed })
    if (version === null) return undefined
    if (isRevoked) throw error
    throw new ProviderUnavailable("the provider did not renew the tokens", { provider: tokens.provider, err: error })
  }
}

/** Returns a function that returns true once a record has kept the same version for longer than a lease. */
function watchLease(): (version: string) => boolean {
  let seen: string | undefined
  let seenAt = 0
  return (version) => {
    if (version !== seen) {
      seen = version
      seenAt = performance.now()
    }
    return performance.now() - seenAt > LEASE_MS
  }
}
