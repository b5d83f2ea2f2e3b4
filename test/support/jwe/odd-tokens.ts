import { deflateRawSync } from "node:zlib"
import type { SeededRandom } from "../seeded-random.js"
import { compact, type Encryption, type RawKey, rawKey, rawSeal } from "./raw-seal.js"

const encode = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64url")

interface Setting {
  readonly salt: string
  readonly secrets: readonly string[]
  readonly nowSeconds: number
}

/** A valid key, header and claims, to which an unusual change is made. */
interface Valid extends Setting {
  readonly key: RawKey
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly iv: Buffer
}

type Odd = (valid: Valid, random: SeededRandom) => string

const sealed = (
  { key, header, claims, iv }: Valid,
  odd: { key?: RawKey; header?: string; plaintext?: string | Uint8Array; iv?: Buffer; ciphertext?: Buffer } = {},
) =>
  rawSeal(odd.key ?? key, {
    header: odd.header ?? encode(JSON.stringify(header)),
    plaintext: Buffer.from(odd.plaintext ?? JSON.stringify(claims)),
    iv: odd.iv ?? iv,
    ...(odd.ciphertext && { ciphertext: odd.ciphertext }),
  })

const withClaims =
  (claims: (valid: Valid, random: SeededRandom) => Record<string, unknown>): Odd =>
  (valid, random) =>
    compact(sealed(valid, { plaintext: JSON.stringify({ ...valid.claims, ...claims(valid, random) }) }))

const withPlaintext =
  (plaintext: (valid: Valid, random: SeededRandom) => string | Uint8Array): Odd =>
  (valid, random) =>
    compact(sealed(valid, { plaintext: plaintext(valid, random) }))

const withHeader =
  (header: (json: string, random: SeededRandom) => string): Odd =>
  (valid, random) =>
    compact(sealed(valid, { header: header(JSON.stringify(valid.header), random) }))

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

/** Unusual tokens that only the owner of the secret can create. */
export const ODD: Readonly<Record<string, Odd>> = {
  "a valid token": (valid) => compact(sealed(valid)),
  "another secret": (valid, random) => {
    const { enc } = valid.key
    return compact(sealed(valid, { key: rawKey(`${random.pick(valid.secrets)} `, valid.salt, enc) }))
  },
  "another salt": (valid, random) =>
    compact(sealed(valid, { key: rawKey(random.pick(valid.secrets), "encodedState", valid.key.enc) })),
  "the key of the other encryption": (valid, random) => {
    const enc: Encryption = valid.key.enc === "A256GCM" ? "A256CBC-HS512" : "A256GCM"
    const iv = Buffer.alloc(enc === "A256GCM" ? 12 : 16)
    return compact(sealed(valid, { key: rawKey(random.pick(valid.secrets), valid.salt, enc), iv }))
  },
  "a time near the current time": withClaims(({ nowSeconds }, random) => ({
    [random.pick(["exp", "nbf", "iat"])]: nowSeconds + random.pick(TIMES),
  })),
  "an invalid time": withClaims((_, random) => ({ [random.pick(["exp", "nbf", "iat"])]: random.pick(NO_TIMES) })),
  "claims that are not an object": withPlaintext((_, random) => random.pick(NO_OBJECTS)),
  "unusual JSON": withPlaintext((_, random) => random.pick(UNUSUAL_JSON)),
  "invalid UTF-8": withPlaintext(({ claims }, random) => aroundValue(JSON.stringify(claims), random.pick(NO_UTF8))),
  "a byte order mark": withPlaintext(
    ({ claims }, random) => `${"\ufeff".repeat(1 + random.below(2))}${JSON.stringify(claims)}`,
  ),
  "random bytes": withPlaintext((_, random) => random.bytes(random.below(60))),
  "an additional header member": withHeader((json, random) =>
    encode(`${json.slice(0, -1)},${random.pick(HEADER_MEMBERS)}}`),
  ),
  "a header with the same meaning": withHeader((json, random) =>
    encode(random.pick([` ${json}\n`, json.replace("alg", "\\u0061lg"), `\ufeff${json}`, json.replace("{", "{ ")])),
  ),
  "a header with invalid UTF-8": withHeader((json, random) => encode(aroundValue(json, random.pick(NO_UTF8)))),
  "a header that is not an object": withHeader((json, random) =>
    encode(random.pick(["null", "[]", `[${json}]`, '"dir"', "", "{"])),
  ),
  "a header with white space or padding": withHeader((json, random) =>
    random.pick([` ${encode(json)}`, `${encode(json)}\n`, Buffer.from(json).toString("base64"), `${encode(json)}=`]),
  ),
  "a header with an additional character": withHeader((json) => {
    const spaces = " ".repeat((3 - (json.length % 3)) % 3)
    return `${encode(json + spaces)}A`
  }),
  "compressed claims": (valid) =>
    compact(
      sealed(valid, {
        header: encode(JSON.stringify({ ...valid.header, zip: "DEF" })),
        plaintext: deflateRawSync(JSON.stringify(valid.claims)),
      }),
    ),
  "an IV of another length": (valid, random) =>
    compact(sealed(valid, { iv: random.bytes(random.pick([1, 8, 11, 12, 13, 15, 16, 17, 32])) })),
  "a shorter tag": (valid, random) => {
    const parts = sealed(valid)
    return compact({ ...parts, tag: parts.tag.subarray(0, random.pick([1, 4, 8, 12, 13, 14, 15, 16, 24, 31])) })
  },
  "an invalid ciphertext": (valid, random) =>
    compact(sealed(valid, { ciphertext: random.bytes(random.pick([0, 1, 15, 16, 17, 31, 32, 48])) })),
}

/** An unusual token of one kind. */
export function oddToken(make: Odd, setting: Setting, claims: Record<string, unknown>, random: SeededRandom): string {
  const enc: Encryption = random.pick(["A256CBC-HS512", "A256GCM"])
  const key = rawKey(random.pick(setting.secrets), setting.salt, enc)
  const header = { alg: "dir", enc, ...(random.below(4) > 0 && { kid: key.kid }) }
  const times = { iat: setting.nowSeconds, exp: setting.nowSeconds + 60, jti: "odd", sub: "7" }
  const valid: Valid = {
    ...setting,
    key,
    header,
    claims: { ...claims, ...times },
    iv: random.bytes(enc === "A256GCM" ? 12 : 16),
  }
  return make(valid, random)
}
