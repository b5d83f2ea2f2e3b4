/**
 * Seals (encrypts) and opens (decrypts) session tokens.
 *
 * @module
 */

import { LRUCache } from "lru-cache"
import type { Awaitable } from "../base/awaitable.js"
import { copyText } from "../base/text.js"
import type { JWT } from "../base/types.js"
import { createSeenFilter } from "../cache/seen-filter.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import { checkTimeClaims, readClaims, SealError, seal, unseal } from "../security/jwe.js"
import { createKeyring, type Keyring } from "../security/keys.js"

const DAY_SECONDS = 86_400
/** The last time that a `Date` can represent, in seconds since 1970. */
const LAST_SECOND = 8.64e12

const toIso = (seconds: number): string => new Date(seconds * 1000).toISOString()

const twoDigits = (number: number): string => (number < 10 ? `0${number}` : `${number}`)

/**
 * Returns a function that formats seconds since 1970 as `Date.toISOString()` does, and returns undefined for an invalid
 * time. The function takes a tenth of the time of `toISOString()`: if two consecutive times are on the same day, it
 * reuses the text of the date. Sessions in use expire within a few days of each other.
 */
export function createTimeFormatter(): (seconds: number) => string | undefined {
  let day = 0
  let dayText = toIso(0).slice(0, -13)
  return (seconds) => {
    if (!(Math.abs(seconds) <= LAST_SECOND)) return undefined
    if (!Number.isInteger(seconds)) return toIso(seconds)
    const newDay = Math.floor(seconds / DAY_SECONDS)
    if (newDay !== day) [day, dayText] = [newDay, toIso(newDay * DAY_SECONDS).slice(0, -13)]
    const rest = seconds - newDay * DAY_SECONDS
    const [hours, minutes] = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60]
    return `${dayText}${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(rest % 60)}.000Z`
  }
}

/**
 * The maximum size of each cache of opened tokens, in characters: about four thousand tokens of the usual length, a few
 * megabytes. Only valid tokens are cached, so clients without a valid token can't fill the cache.
 */
const MAX_CACHE_CHARACTERS = 3_000_000

/**
 * The length of the authentication tag at the end of a token, in characters. The tag is the cache key, because it
 * authenticates the rest of the token.
 */
const TAG_LENGTH = 43

/**
 * The claims and the expiry of a token. Each caller gets its own copy of the claims, so a change by one request does
 * not affect others.
 */
export interface Decoded {
  readonly claims: JWT
  /** `exp` as ISO 8601 text; undefined if it is not a time. */
  readonly expires: string | undefined
}

/** Seals and opens session tokens, with the application's `jwt.encode` and `jwt.decode` if they are set. */
export interface Codec {
  /** Seals a token for `jwt.maxAge`, or for `maxAgeSeconds` if that is less. */
  encode(token: JWT, salt: string, maxAgeSeconds?: number): Awaitable<string>
  /**
   * Opens a token. If it is invalid, the built-in function returns the reason, and the application's function returns
   * null or throws.
   */
  decode(token: string, salt: string): Awaitable<Decoded | SealError | null>
}

/** A cached token with its content. */
interface CachedToken {
  readonly token: string
  /** The claims if none of them is an object, so that a shallow copy is enough. Otherwise their JSON. */
  readonly content: JWT | string
  readonly expires: string | undefined
}

const isFlat = (claims: JWT): boolean =>
  Object.values(claims).every((claim) => typeof claim !== "object" || claim === null)

export function createCodec({ jwt }: ResolvedConfig, now: () => number): Codec {
  const { encode, decode, maxAge, secrets } = jwt
  const keys: Keyring = createKeyring(secrets)
  const secret = [...secrets]
  const caches = new Map<string, LRUCache<string, CachedToken>>()
  /**
   * Returns the cache of a salt. The salt is the cookie's name, because a token is valid only under the name for which
   * it was sealed.
   */
  const cacheFor = (salt: string): LRUCache<string, CachedToken> => {
    const cache = caches.get(salt) ?? new LRUCache<string, CachedToken>({ maxSize: MAX_CACHE_CHARACTERS })
    caches.set(salt, cache)
    return cache
  }
  const wasSeen = createSeenFilter()
  const formatTime = createTimeFormatter()
  const formatExpiry = ({ exp }: JWT): string | undefined => (typeof exp === "number" ? formatTime(exp) : undefined)
  /** Decrypts a token that is not in the cache. Caches a valid token at its second use. */
  const openSealed = (token: string, salt: string): Decoded | SealError => {
    const plaintext = unseal(token, keys.for(salt))
    if (plaintext instanceof SealError) return plaintext
    const claims = readClaims(plaintext, now())
    if (claims instanceof SealError) return claims
    const expires = formatExpiry(claims)
    const tag = token.slice(-TAG_LENGTH)
    if (!wasSeen(tag)) return { claims, expires }
    const content = isFlat(claims) ? { ...claims } : plaintext
    const size = token.length + plaintext.length
    cacheFor(salt).set(copyText(tag), { token: copyText(token), content, expires }, { size })
    return { claims, expires }
  }
  const openCached = ({ content, expires }: CachedToken): Decoded | SealError => {
    if (typeof content !== "string") return checkTimeClaims(content, now()) ?? { claims: { ...content }, expires }
    const claims = readClaims(content, now())
    return claims instanceof SealError ? claims : { claims, expires }
  }
  const open = (token: string, salt: string): Decoded | SealError => {
    const cached = cacheFor(salt).get(token.slice(-TAG_LENGTH))
    return cached?.token === token ? openCached(cached) : openSealed(token, salt)
  }
  const openWithApplication = async (token: string, salt: string): Promise<Decoded | null> => {
    const claims = await decode?.({ token, secret, salt })
    return claims ? { claims, expires: formatExpiry(claims) } : null
  }
  return {
    encode(token, salt, maxAgeSeconds = maxAge) {
      const seconds = Math.min(maxAge, maxAgeSeconds)
      return encode ? encode({ token, secret, salt, maxAge: seconds }) : seal(token, keys.for(salt), seconds, now())
    },
    decode: decode ? openWithApplication : open,
  }
}
