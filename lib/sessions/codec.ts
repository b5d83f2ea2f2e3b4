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

/** The text by itself: a part of a text keeps the whole alive, here the browser's other cookies. */
const copyOf = (token: string): string => Buffer.from(token, "latin1").toString("latin1")

/** Seals and opens session tokens, by the application's functions where it has its own. */
export interface Codec {
  encode(token: JWT, salt: string): string | PromiseLike<string>
  decode(token: string, salt: string): JWT | null | PromiseLike<JWT | null>
}

/** What a token held. */
interface Opened {
  readonly plaintext: string
  /** The claims, where a copy of them shares nothing with them. */
  readonly flat?: JWT
}

const isFlat = (claims: JWT): boolean =>
  Object.values(claims).every((claim) => typeof claim !== "object" || claim === null)

export function createCodec({ jwt }: ResolvedConfig, now: () => number): Codec {
  const { encode, decode, maxAge, secrets } = jwt
  const keys: Keyring = createKeyring(secrets)
  const secret = [...secrets]
  const openedBySalt = new Map<string, Recent<Opened>>()
  /** Opens a token that has not been seen lately; nothing is kept of one that does not open. */
  const openSeal = (token: string, salt: string): JWT => {
    const plaintext = unseal(token, keys.for(salt))
    const claims = readClaims(plaintext, now())
    recentOf(salt).set(copyOf(token), isFlat(claims) ? { plaintext, flat: { ...claims } } : { plaintext })
    return claims
  }
  /** By cookie name: a token that is good under one name is not under another. */
  const recentOf = (salt: string): Recent<Opened> => {
    const recent = openedBySalt.get(salt) ?? createRecent<Opened>(OPENED_TOKENS)
    openedBySalt.set(salt, recent)
    return recent
  }
  /** Each reader gets claims of its own: what one request changes, no other sees. */
  const openAgain = ({ plaintext, flat }: Opened): JWT => {
    if (!flat) return readClaims(plaintext, now())
    requireTimely(flat, now())
    return { ...flat }
  }
  const open = (token: string, salt: string): JWT => {
    const known = openedBySalt.get(salt)?.get(token)
    return known ? openAgain(known) : openSeal(token, salt)
  }
  return {
    encode: (token, salt) =>
      encode ? encode({ token, secret, salt, maxAge }) : seal(token, keys.for(salt), maxAge, now()),
    decode: (token, salt) => (decode ? decode({ token, secret, salt }) : open(token, salt)),
  }
}
