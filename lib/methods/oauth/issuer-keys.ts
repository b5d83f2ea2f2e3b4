import { JWKSNoMatchingKey } from "jose/errors"
import { createLocalJWKSet } from "jose/jwks/local"
import { compactVerify } from "jose/jws/compact/verify"
import type { JWTVerifyGetKey } from "jose/jwt/verify"
import { Fault } from "../../error-codes.js"
import { isPlainObject } from "../../merge.js"
import { isWithin } from "../../timeout.js"
import { type Cached, type CachePolicy, cached } from "./cached.js"

/** An issuer's public keys, kept between sign-ins. */
export interface IssuerKeys {
  /**
   * Verifies a token's signature by the keys at an address. They are fetched once more when they do not do: they may
   * have been changed.
   */
  verify(token: string, signature: { readonly alg: string; readonly jwksUri: string }): Promise<void>
}

/** What the kept keys do not verify may be a rotation or an attack: they are fetched anew at most this often. */
const REFRESH_PAUSE_MS = 5_000

interface Keys {
  readonly find: JWTVerifyGetKey
  readonly loadedAt: number
}

async function load(jwksUri: string, fetch: typeof globalThis.fetch, now: () => number): Promise<Keys> {
  const response = await fetch(jwksUri, { headers: { accept: "application/json, application/jwk-set+json" } })
  if (response.status !== 200)
    throw new Fault("provider-unreachable", `${jwksUri} answered with status ${response.status}`)
  const body: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(body) || !Array.isArray(body["keys"]))
    throw new Error(`${jwksUri} did not answer with a JSON Web Key Set`)
  // RFC 7517 §5: keys that are not understood are passed over. `jose` does so, and shared secrets are none to it.
  const keys = body["keys"].filter(isPlainObject)
  return { find: createLocalJWKSet({ keys }), loadedAt: now() }
}

const isUnknownKey = (error: unknown): boolean => error instanceof JWKSNoMatchingKey

interface Entry {
  readonly uri: string
  readonly keys: Cached<Keys>
  refreshedAt: number
  /** The latest reload that a failed verification led to, finished or not. */
  refreshed?: Promise<Keys>
}

export function createIssuerKeys(fetch: typeof globalThis.fetch, policy: CachePolicy): IssuerKeys {
  const { now } = policy
  // One address in practice; discovery may move it.
  let current: Entry | undefined

  function keysAt(uri: string): Entry {
    if (current?.uri !== uri)
      current = { uri, keys: cached(() => load(uri, fetch, now), policy), refreshedAt: Number.NEGATIVE_INFINITY }
    return current
  }

  /** Those who come during a reload wait for it too. */
  function reload(entry: Entry): Promise<Keys> {
    if (entry.refreshed && isWithin(REFRESH_PAUSE_MS, entry.refreshedAt, now())) return entry.refreshed
    entry.refreshedAt = now()
    entry.refreshed = entry.keys.refresh()
    return entry.refreshed
  }

  return {
    async verify(token, { alg, jwksUri }) {
      const entry = keysAt(jwksUri)
      const verifyBy = ({ find }: Keys) => compactVerify(token, find, { algorithms: [alg] })
      const keys = await entry.keys.get()
      try {
        await verifyBy(keys)
      } catch (error) {
        // A key may be new under the old one's name, but not in keys that have just come.
        if (!isUnknownKey(error) && isWithin(REFRESH_PAUSE_MS, keys.loadedAt, now())) throw error
        await verifyBy(await reload(entry))
      }
    },
  }
}
