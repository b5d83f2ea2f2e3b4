import { JWKSNoMatchingKey } from "jose/errors"
import { createLocalJWKSet } from "jose/jwks/local"
import { compactVerify } from "jose/jws/compact/verify"
import type { JWTVerifyGetKey } from "jose/jwt/verify"
import { isPlainObject } from "../../base/merge.js"
import { isWithin } from "../../base/timeout.js"
import { type CachePolicy, createRefreshingCache, type RefreshingCache } from "../../cache/refreshing-cache.js"
import { CodedError } from "../../errors/error-codes.js"

/** An issuer's public keys (JWKS), which are cached between sign-ins. */
export interface IssuerKeys {
  /**
   * Verifies a token's signature with the keys at a URL. If the verification fails, the keys are fetched once more,
   * because the issuer may have rotated them.
   */
  verify(token: string, signature: { readonly alg: string; readonly jwksUri: string }): Promise<void>
}

/** A failed verification may be a key rotation or a forged token, so the keys are fetched again at most this often. */
const MIN_REFRESH_INTERVAL_MS = 5_000

interface Keys {
  readonly getKey: JWTVerifyGetKey
  readonly loadedAt: number
}

async function load(jwksUri: string, fetch: typeof globalThis.fetch, now: () => number): Promise<Keys> {
  const response = await fetch(jwksUri, { headers: { accept: "application/json, application/jwk-set+json" } })
  if (response.status !== 200)
    throw new CodedError("provider-unreachable", `${jwksUri} answered with status ${response.status}`)
  const body: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(body) || !Array.isArray(body["keys"]))
    throw new Error(`${jwksUri} did not answer with a JSON Web Key Set`)
  // RFC 7517 §5: keys that are not understood are ignored. `jose` does so, and it never uses a symmetric key.
  const keys = body["keys"].filter(isPlainObject)
  return { getKey: createLocalJWKSet({ keys }), loadedAt: now() }
}

const isUnknownKey = (error: unknown): boolean => error instanceof JWKSNoMatchingKey

interface KeySetEntry {
  readonly uri: string
  readonly keys: RefreshingCache<Keys>
  lastRefreshAt: number
  /** The latest refresh after a failed verification. It may still be pending. */
  lastRefresh?: Promise<Keys>
}

export function createIssuerKeys(fetch: typeof globalThis.fetch, policy: CachePolicy): IssuerKeys {
  const { now } = policy
  // An issuer has one URL at a time. Discovery may change it.
  let current: KeySetEntry | undefined

  function keysAt(uri: string): KeySetEntry {
    if (current?.uri !== uri)
      current = {
        uri,
        keys: createRefreshingCache(() => load(uri, fetch, now), policy),
        lastRefreshAt: Number.NEGATIVE_INFINITY,
      }
    return current
  }

  /** Fetches the keys again. Calls within the interval share one result. */
  function refresh(entry: KeySetEntry): Promise<Keys> {
    if (entry.lastRefresh && isWithin(MIN_REFRESH_INTERVAL_MS, entry.lastRefreshAt, now())) return entry.lastRefresh
    entry.lastRefreshAt = now()
    entry.lastRefresh = entry.keys.refresh()
    return entry.lastRefresh
  }

  return {
    async verify(token, { alg, jwksUri }) {
      const entry = keysAt(jwksUri)
      const verifyWith = ({ getKey }: Keys) => compactVerify(token, getKey, { algorithms: [alg] })
      const keys = await entry.keys.get()
      try {
        await verifyWith(keys)
      } catch (error) {
        // A new key may have the id of the old one, so a wrong signature causes a refresh too, unless the keys are new.
        if (!isUnknownKey(error) && isWithin(MIN_REFRESH_INTERVAL_MS, keys.loadedAt, now())) throw error
        await verifyWith(await refresh(entry))
      }
    },
  }
}
