/**
 * How session tokens are sealed and opened.
 *
 * @module
 */
import type { ResolvedConfig } from "../config/resolve.js"
import type { JWT } from "../jwt.js"
import { createKeyring, type Keyring, readClaims, seal, unseal } from "../security/jwe.js"
import { createLru, type Lru } from "../security/lru.js"

/** Sessions whose cookie is opened only once: some megabytes. Only what opened gets in, so strangers can't fill it. */
const OPENED_TOKENS = 2_000

/** Seals and opens session tokens, by the application's functions where it has its own. */
export interface Codec {
  encode(token: JWT, salt: string): string | PromiseLike<string>
  decode(token: string, salt: string): JWT | null | PromiseLike<JWT | null>
}

export function createCodec({ jwt }: ResolvedConfig, now: () => number): Codec {
  const { encode, decode, maxAge, secrets } = jwt
  const keys: Keyring = createKeyring(secrets)
  const secret = [...secrets]
  // Text, not claims: each reader parses its own, so that what one request changes no other sees.
  const openedBySalt = new Map<string, Lru<string>>()
  const openSeal = (token: string, salt: string): JWT => {
    // By cookie name: a token that is good under one name is not under another.
    const opened = openedBySalt.get(salt) ?? createLru<string>(OPENED_TOKENS)
    openedBySalt.set(salt, opened)
    const known = opened.get(token)
    const plaintext = known ?? unseal(token, keys.for(salt))
    if (known === undefined) opened.set(token, plaintext)
    return readClaims(plaintext, now())
  }
  return {
    encode: (token, salt) =>
      encode ? encode({ token, secret, salt, maxAge }) : seal(token, keys.for(salt), maxAge, now()),
    decode: (token, salt) => (decode ? decode({ token, secret, salt }) : openSeal(token, salt)),
  }
}
