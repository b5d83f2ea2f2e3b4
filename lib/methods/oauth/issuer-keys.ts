import { JWKSNoMatchingKey } from "jose/errors"
import { createLocalJWKSet } from "jose/jwks/local"
import { compactVerify } from "jose/jws/compact/verify"
import type { JWTVerifyGetKey } from "jose/jwt/verify"
import { isPlainObject } from "../../base/merge.js"
import { isWithinLast } from "../../base/timeout.js"
import { type CachePolicy, createRefreshingCache, type RefreshingCache } from "../../cache/refreshing-cache.js"
import { CodedError } from "../../errors/error-codes.js"

/** Verifies signatures with an issuer's public keys (JWKS), which are cached between sign-ins. */
export interface IssuerKeys {
  /**
   * Verifies a token's signature with the keys at a URL. If the verification fails, fetches the keys again and verifies
   * the signature once more, because the issuer may have rotated the keys.
   *
   * @throws Error if the signature is invalid, or the keys can't be loaded
   */
  verify(token: string, signature: { readonly alg: string; readonly jwksUri: string }): Promise<void>
}

/** The minimum time between two refreshes. Without it, each forged token would cause a request to the issuer. */
const MIN_REFRESH_INTERVAL_MS = 5_000

interface Keys {
  readonly getKey: JWTVerifyGetKey
  readonly loadedAt: number
}

async function loadKeys(jwksUri: string, fetch: typeof globalThis.fetch, now: () => number): Promise<Keys> {
  const response = await fetch(jwksUri, { headers: { accept: "application/json, application/jwk-set+json" } })
  if (response.status !== 200)
    throw new CodedError("provider-unreachable", `${jwksUri} answered with status ${response.status}`)
  const body: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(body) || !Array.isArray(body["keys"]))
    throw new Error(`${jwksUri} did not answer with a JSON Web Key Set`)
  // Entries that are not objects are left out. `jose` ignores keys of unknown types (RFC 7517 §5) and symmetric keys.
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
  // An issuer has one key set. Its URL may change when the metadata is reloaded.
  let current: KeySetEntry | undefined

  function keysAt(uri: string): KeySetEntry {
    if (current?.uri !== uri)
      current = {
        uri,
        keys: createRefreshingCache(() => loadKeys(uri, fetch, now), policy),
        lastRefreshAt: Number.NEGATIVE_INFINITY,
      }
    return current
  }

  /** Fetches the keys again. Calls within `MIN_REFRESH_INTERVAL_MS` share one result. */
  function refresh(entry: KeySetEntry): Promise<Keys> {
    if (entry.lastRefresh && isWithinLast(MIN_REFRESH_INTERVAL_MS, entry.lastRefreshAt, now())) return entry.lastRefresh
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
        // A new key may have the `kid` of the old key, so an invalid signature also causes a refresh, unless the keys
        // were loaded in the last seconds.
        if (!isUnknownKey(error) && isWithinLast(MIN_REFRESH_INTERVAL_MS, keys.loadedAt, now())) throw error
        await verifyWith(await refresh(entry))
      }
    },
  }
}
