/**
 * How session tokens are sealed and opened.
 *
 * @module
 */
import type { ResolvedConfig } from "../config/resolve.js"
import type { JWT } from "../jwt.js"
import { createKeyring, type Keyring, readClaims, requireTimely, seal, unseal } from "../security/jwe.js"
import { createRecent, type Recent } from "../security/recent.js"

/** Sessions whose cookie is opened only once: some megabytes. Only what opened gets in, so strangers can't fill it. */
const OPENED_TOKENS = 2_000

/** Characters of a token's end that tell it from others: the tag covers everything before it. */
const TAG_LENGTH = 43

/** The text by itself: a part of a text keeps the whole alive, here the browser's other cookies. */
const copyOf = (text: string): string => Buffer.from(text, "latin1").toString("latin1")

/** A token's claims, each time a copy of its own: what one request changes, no other sees. */
export interface Decoded {
  readonly claims: JWT
  /** `exp` as text, where it was worked out before. */
  readonly expires?: string | undefined
}

/** Seals and opens session tokens, by the application's functions where it has its own. */
export interface Codec {
  encode(token: JWT, salt: string): string | PromiseLike<string>
  decode(token: string, salt: string): Decoded | null | PromiseLike<Decoded | null>
}

/** A token that opened, and what it held. */
interface Opened {
  readonly token: string
  readonly plaintext: string
  /** The claims, where a copy of them shares nothing with them. */
  readonly flat: JWT | undefined
  readonly expires: string | undefined
}

const isFlat = (claims: JWT): boolean =>
  Object.values(claims).every((claim) => typeof claim !== "object" || claim === null)

/** The end of a session, as the session shows it. */
export const expiresOf = ({ exp }: JWT): string | undefined =>
  typeof exp === "number" ? new Date(exp * 1000).toISOString() : undefined

export function createCodec({ jwt }: ResolvedConfig, now: () => number): Codec {
  const { encode, decode, maxAge, secrets } = jwt
  const keys: Keyring = createKeyring(secrets)
  const secret = [...secrets]
  const openedBySalt = new Map<string, Recent<Opened>>()
  /** By cookie name: a token that is good under one name is not under another. */
  const recentOf = (salt: string): Recent<Opened> => {
    const recent = openedBySalt.get(salt) ?? createRecent<Opened>(OPENED_TOKENS)
    openedBySalt.set(salt, recent)
    return recent
  }
  /** Opens a token that has not been seen lately; nothing is kept of one that does not open. */
  const openSeal = (token: string, salt: string): Decoded => {
    const plaintext = unseal(token, keys.for(salt))
    const claims = readClaims(plaintext, now())
    const flat = isFlat(claims) ? { ...claims } : undefined
    const kept = copyOf(token)
    recentOf(salt).set(kept.slice(-TAG_LENGTH), { token: kept, plaintext, flat, expires: expiresOf(claims) })
    return { claims }
  }
  const openAgain = ({ plaintext, flat, expires }: Opened): Decoded => {
    if (!flat) return { claims: readClaims(plaintext, now()), expires }
    requireTimely(flat, now())
    return { claims: { ...flat }, expires }
  }
  const open = (token: string, salt: string): Decoded => {
    const known = recentOf(salt).get(token.slice(-TAG_LENGTH))
    return known?.token === token ? openAgain(known) : openSeal(token, salt)
  }
  const openByApplication = async (token: string, salt: string): Promise<Decoded | null> => {
    const claims = await decode?.({ token, secret, salt })
    return claims ? { claims } : null
  }
  return {
    encode: (token, salt) =>
      encode ? encode({ token, secret, salt, maxAge }) : seal(token, keys.for(salt), maxAge, now()),
    decode: decode ? openByApplication : open,
  }
}
