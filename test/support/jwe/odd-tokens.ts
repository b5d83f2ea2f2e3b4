import { deflateRawSync } from "node:zlib"
import type { SeededRandom } from "../seeded-random.js"
import { compact, type Encryption, type RawKey, rawKey, rawSeal } from "./raw-seal.js"

const encode = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64url")

interface Setting {
  readonly salt: string
  readonly secrets: readonly string[]
  readonly nowSeconds: number
}

/** A key that opens, and what would be sealed with it if nothing were odd. */
interface Sound extends Setting {
  readonly key: RawKey
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly iv: Buffer
}

type Odd = (sound: Sound, random: SeededRandom) => string

const sealed = (
  { key, header, claims, iv }: Sound,
  odd: { key?: RawKey; header?: string; plaintext?: string | Uint8Array; iv?: Buffer; ciphertext?: Buffer } = {},
) =>
  rawSeal(odd.key ?? key, {
    header: odd.header ?? encode(JSON.stringify(header)),
    plaintext: Buffer.from(odd.plaintext ?? JSON.stringify(claims)),
    iv: odd.iv ?? iv,
    ...(odd.ciphertext && { ciphertext: odd.ciphertext }),
  })

const withClaims =
  (claims: (sound: Sound, random: SeededRandom) => Record<string, unknown>): Odd =>
  (sound, random) =>
    compact(sealed(sound, { plaintext: JSON.stringify({ ...sound.claims, ...claims(sound, random) }) }))

const withPlaintext =
  (plaintext: (sound: Sound, random: SeededRandom) => string | Uint8Array): Odd =>
  (sound, random) =>
    compact(sealed(sound, { plaintext: plaintext(sound, random) }))

const withHeader =
  (header: (json: string, random: SeededRandom) => string): Odd =>
  (sound, random) =>
    compact(sealed(sound, { header: header(JSON.stringify(sound.header), random) }))

const HEADER_MEMBERS = [
  '"alg":"none"',
  '"alg":"dir"',
  '"alg":["dir"]',
  '"alg":"A256KW"',
  '"enc":"A128CBC-HS256"',
  '"enc":["A256GCM"]',
  '"zip":"def"',
  '"zip":null',
  '"zip":""',
  '"crit":[]',
  '"crit":null',
  '"crit":["exp"],"exp":1',
  '"crit":["kid"]',
  '"kid":"x"',
  '"kid":null',
  '"kid":""',
  '"typ":"JWT"',
  '"cty":"JWT"',
  '"b64":false',
  '"epk":{}',
  '"p2c":1',
  '"iss":"x"',
  '"sub":"7"',
  '"aud":["a"]',
  '"sub":"eight"',
  '"sub":null',
  '"__proto__":{"crit":["x"]}',
  '"\u00e9":"\u00e9"',
]

const TIMES = [0, -1, 1, 14, -14, 15, -15, 16, -16, 0.5, -15.5, 60, -60, 1e9, -1e9]
const NO_TIMES = [null, "1800000000", true, [], {}, "soon"]
const NO_OBJECTS = [
  "null",
  "[]",
  "[{}]",
  '"text"',
  "1",
  "true",
  "",
  " ",
  "{",
  "{}}",
  "{'a':1}",
  '{"a":1,}',
  "undefined",
]
const UNUSUAL_JSON = [
  '{"a":1,"a":2}',
  ' \t\r\n{ "a" : [ 1 , 2 ] }\n',
  '{"__proto__":{"sub":"1"},"constructor":1}',
  '{"exp":1e400,"n":1E+2,"m":-0}',
  '{"nbf":-1e400}',
  '{"nbf":1e400}',
  '{"\\u0065xp":1}',
  '{"a":"\\ud800"}',
  "{}",
  '{"exp":1,"exp":4000000000}',
  `${'{"a":'.repeat(200)}1${"}".repeat(200)}`,
]

const NO_UTF8 = [[0xff], [0xc0, 0x80], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80]]

const aroundValue = (json: string, bytes: readonly number[]) =>
  Buffer.concat([
    Buffer.from(`${json.slice(0, -1)}${json === "{}" ? "" : ","}"odd":"`),
    Buffer.from(bytes),
    Buffer.from('"}'),
  ])

/** What only who has the secret could make, and nobody does. */
export const ODD: Readonly<Record<string, Odd>> = {
  "nothing odd": (sound) => compact(sealed(sound)),
  "another secret": (sound, random) => {
    const { enc } = sound.key
    return compact(sealed(sound, { key: rawKey(`${random.pick(sound.secrets)} `, sound.salt, enc) }))
  },
  "another purpose": (sound, random) =>
    compact(sealed(sound, { key: rawKey(random.pick(sound.secrets), "encodedState", sound.key.enc) })),
  "the key of the other encryption": (sound, random) => {
    const enc: Encryption = sound.key.enc === "A256GCM" ? "A256CBC-HS512" : "A256GCM"
    const iv = Buffer.alloc(enc === "A256GCM" ? 12 : 16)
    return compact(sealed(sound, { key: rawKey(random.pick(sound.secrets), sound.salt, enc), iv }))
  },
  "a time about now": withClaims(({ nowSeconds }, random) => ({
    [random.pick(["exp", "nbf", "iat"])]: nowSeconds + random.pick(TIMES),
  })),
  "a time that is none": withClaims((_, random) => ({ [random.pick(["exp", "nbf", "iat"])]: random.pick(NO_TIMES) })),
  "no object": withPlaintext((_, random) => random.pick(NO_OBJECTS)),
  "unusual JSON": withPlaintext((_, random) => random.pick(UNUSUAL_JSON)),
  "no UTF-8": withPlaintext(({ claims }, random) => aroundValue(JSON.stringify(claims), random.pick(NO_UTF8))),
  "a byte order mark": withPlaintext(
    ({ claims }, random) => `${"\ufeff".repeat(1 + random.below(2))}${JSON.stringify(claims)}`,
  ),
  "any bytes": withPlaintext((_, random) => random.bytes(random.below(60))),
  "another member in the header": withHeader((json, random) =>
    encode(`${json.slice(0, -1)},${random.pick(HEADER_MEMBERS)}}`),
  ),
  "a header in other words": withHeader((json, random) =>
    encode(random.pick([` ${json}\n`, json.replace("alg", "\\u0061lg"), `\ufeff${json}`, json.replace("{", "{ ")])),
  ),
  "a header that is no UTF-8": withHeader((json, random) => encode(aroundValue(json, random.pick(NO_UTF8)))),
  "a header that is no object": withHeader((json, random) =>
    encode(random.pick(["null", "[]", `[${json}]`, '"dir"', "", "{"])),
  ),
  "a header with white space or padding": withHeader((json, random) =>
    random.pick([` ${encode(json)}`, `${encode(json)}\n`, Buffer.from(json).toString("base64"), `${encode(json)}=`]),
  ),
  "a header with a character too many": withHeader((json) => {
    const spaces = " ".repeat((3 - (json.length % 3)) % 3)
    return `${encode(json + spaces)}A`
  }),
  "compressed claims": (sound) =>
    compact(
      sealed(sound, {
        header: encode(JSON.stringify({ ...sound.header, zip: "DEF" })),
        plaintext: deflateRawSync(JSON.stringify(sound.claims)),
      }),
    ),
  "an IV of another length": (sound, random) =>
    compact(sealed(sound, { iv: random.bytes(random.pick([1, 8, 11, 12, 13, 15, 16, 17, 32])) })),
  "a shorter tag": (sound, random) => {
    const parts = sealed(sound)
    return compact({ ...parts, tag: parts.tag.subarray(0, random.pick([1, 4, 8, 12, 13, 14, 15, 16, 24, 31])) })
  },
  "a ciphertext that can't be": (sound, random) =>
    compact(sealed(sound, { ciphertext: random.bytes(random.pick([0, 1, 15, 16, 17, 31, 32, 48])) })),
}

/** An odd token of one kind. */
export function oddToken(make: Odd, setting: Setting, claims: Record<string, unknown>, random: SeededRandom): string {
  const enc: Encryption = random.pick(["A256CBC-HS512", "A256GCM"])
  const key = rawKey(random.pick(setting.secrets), setting.salt, enc)
  const header = { alg: "dir", enc, ...(random.below(4) > 0 && { kid: key.kid }) }
  const times = { iat: setting.nowSeconds, exp: setting.nowSeconds + 60, jti: "odd", sub: "7" }
  const sound: Sound = {
    ...setting,
    key,
    header,
    claims: { ...claims, ...times },
    iv: random.bytes(enc === "A256GCM" ? 12 : 16),
  }
  return make(sound, random)
}
