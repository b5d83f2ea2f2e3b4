/**
 * How session tokens are sealed and opened.
 *
 * @module
 */
import type { ResolvedConfig } from "../config/resolve.js"
import type { JWT } from "../jwt.js"
import { createAgain } from "../security/again.js"
import { readClaims, refuseUntimely, SealError, seal, unseal } from "../security/jwe.js"
import { createKeyring, type Keyring } from "../security/keys.js"
import { copyOf, createRecent, type Recent } from "../security/recent.js"
import type { Awaitable } from "../types.js"
import { createTimeText } from "./time-text.js"

/**
 * Characters of the tokens that are opened only once: four thousand of the usual length, some megabytes. Only what
 * opened gets in, so strangers can't fill it.
 */
const OPENED_CHARACTERS = 3_000_000

/** Characters of a token's end that tell it from others: the tag covers everything before it. */
const TAG_LENGTH = 43

/** A token's claims, each time a copy of its own: what one request changes, no other sees. */
export interface Decoded {
  readonly claims: JWT
  /** `exp` as a session shows it, where it is a time. */
  readonly expires: string | undefined
}

/** Seals and opens session tokens, by the application's functions where it has its own. */
export interface Codec {
  /** For `maxAgeSeconds`, where that is less than `jwt.maxAge`. */
  encode(token: JWT, salt: string, maxAgeSeconds?: number): Awaitable<string>
  /** Ours says why a token does not open; the application's gives null, or throws. */
  decode(token: string, salt: string): Awaitable<Decoded | SealError | null>
}

/** A token that opened, and what it held. */
interface Opened {
  readonly token: string
  /** The claims where a copy of them shares nothing with them, else their text. */
  readonly held: JWT | string
  readonly expires: string | undefined
}

const isFlat = (claims: JWT): boolean =>
  Object.values(claims).every((claim) => typeof claim !== "object" || claim === null)

export function createCodec({ jwt }: ResolvedConfig, now: () => number): Codec {
  const { encode, decode, maxAge, secrets } = jwt
  const keys: Keyring = createKeyring(secrets)
  const secret = [...secrets]
  const openedBySalt = new Map<string, Recent<Opened>>()
  /** By cookie name: a token that is good under one name is not under another. */
  const recentOf = (salt: string): Recent<Opened> => {
    const recent = openedBySalt.get(salt) ?? createRecent<Opened>(OPENED_CHARACTERS)
    openedBySalt.set(salt, recent)
    return recent
  }
  const comesAgain = createAgain()
  const textOf = createTimeText()
  const expiresOf = ({ exp }: JWT): string | undefined => (typeof exp === "number" ? textOf(exp) : undefined)
  /** Opens a token that has not been seen lately; nothing is kept of one that does not open, or comes once. */
  const openSeal = (token: string, salt: string): Decoded | SealError => {
    const plaintext = unseal(token, keys.for(salt))
    if (plaintext instanceof SealError) return plaintext
    const claims = readClaims(plaintext, now())
    if (claims instanceof SealError) return claims
    const expires = expiresOf(claims)
    const tag = token.slice(-TAG_LENGTH)
    if (!comesAgain(tag)) return { claims, expires }
    const held = isFlat(claims) ? { ...claims } : plaintext
    recentOf(salt).set(tag, { token: copyOf(token), held, expires }, token.length + plaintext.length)
    return { claims, expires }
  }
  const openAgain = ({ held, expires }: Opened): Decoded | SealError => {
    if (typeof held !== "string") return refuseUntimely(held, now()) ?? { claims: { ...held }, expires }
    const claims = readClaims(held, now())
    return claims instanceof SealError ? claims : { claims, expires }
  }
  const open = (token: string, salt: string): Decoded | SealError => {
    const known = recentOf(salt).get(token.slice(-TAG_LENGTH))
    return known?.token === token ? openAgain(known) : openSeal(token, salt)
  }
  const openByApplication = async (token: string, salt: string): Promise<Decoded | null> => {
    const claims = await decode?.({ token, secret, salt })
    return claims ? { claims, expires: expiresOf(claims) } : null
  }
  return {
    encode(token, salt, maxAgeSeconds = maxAge) {
      const seconds = Math.min(maxAge, maxAgeSeconds)
      return encode ? encode({ token, secret, salt, maxAge: seconds }) : seal(token, keys.for(salt), seconds, now())
    },
    decode: decode ? openByApplication : open,
  }
}
