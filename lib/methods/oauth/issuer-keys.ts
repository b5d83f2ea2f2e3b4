import { createLocalJWKSet } from "jose/jwks/local"
import type { JWTVerifyGetKey } from "jose/jwt/verify"
import { isError } from "../../errors.js"
import { isPlainObject } from "../../merge.js"
import { type Cached, type CachePolicy, cached } from "./cached.js"

/** An issuer's public keys, kept between sign-ins. */
export interface IssuerKeys {
  /** The keys at an address, for `jose`'s verification. A key that is not known makes them be fetched once more. */
  at(jwksUri: string): JWTVerifyGetKey
}

/** An unknown key id may be a rotation or an attack: the keys are fetched anew at most this often. */
const REFRESH_PAUSE_MS = 5_000

async function load(jwksUri: string, fetch: typeof globalThis.fetch): Promise<JWTVerifyGetKey> {
  const response = await fetch(jwksUri, { headers: { accept: "application/json, application/jwk-set+json" } })
  if (response.status !== 200) throw new Error(`${jwksUri} answered with status ${response.status}`)
  const body: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(body) || !Array.isArray(body["keys"]))
    throw new Error(`${jwksUri} did not answer with a JSON Web Key Set`)
  // RFC 7517 §5: keys that are not understood are passed over.
  const keys = body["keys"].filter(
    (key) => isPlainObject(key) && typeof key["kty"] === "string" && key["kty"] !== "oct",
  )
  return createLocalJWKSet({ keys })
}

const isUnknownKey = (error: unknown): boolean =>
  isError(error) && "code" in error && error.code === "ERR_JWKS_NO_MATCHING_KEY"

interface Entry {
  readonly uri: string
  readonly keys: Cached<JWTVerifyGetKey>
  refreshedAt: number
  /** The latest reload that an unknown key led to, finished or not. */
  refreshed?: Promise<JWTVerifyGetKey>
}

export function createIssuerKeys(fetch: typeof globalThis.fetch, policy: CachePolicy): IssuerKeys {
  // One address in practice; discovery may move it.
  let current: Entry | undefined

  function keysAt(uri: string): Entry {
    if (current?.uri !== uri)
      current = { uri, keys: cached(() => load(uri, fetch), policy), refreshedAt: Number.NEGATIVE_INFINITY }
    return current
  }

  return {
    at: (uri) => async (header, token) => {
      const entry = keysAt(uri)
      const find = await entry.keys.get()
      try {
        return await find(header, token)
      } catch (error) {
        if (!isUnknownKey(error)) throw error
        if (!entry.refreshed || policy.now() - entry.refreshedAt >= REFRESH_PAUSE_MS) {
          entry.refreshedAt = policy.now()
          entry.refreshed = entry.keys.refresh()
        }
        // Those who come during a reload wait for it too.
        const findAnew = await entry.refreshed
        return findAnew(header, token)
      }
    },
  }
}
