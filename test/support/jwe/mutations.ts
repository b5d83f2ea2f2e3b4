import type { SeededRandom } from "../seeded-random.js"

/** A change that an attacker with one or two tokens can make. */
export type Mutation = (token: string, random: SeededRandom, other: string) => string

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
const PARTS = [0, 1, 2, 3, 4]
const FULL_PARTS = [0, 2, 3, 4]

/** Characters that are invalid in a token. jose accepts padding and white space. */
const FOREIGN = [
  ..."=+/ \t\n\r\f.,:%\u0000\u000b\u00a0é\u0131\u212a\uff21\u200b\ufeff",
  "==",
  "%2E",
  "\ud83d\ude00",
  "\ud800",
]

const letter = (random: SeededRandom) => BASE64URL[random.below(64)] ?? ""

const splice = (text: string, at: number, remove: number, insert: string) =>
  text.slice(0, at) + insert + text.slice(at + remove)

/** Changes a random one of the parts. */
const inPart =
  (change: (part: string, random: SeededRandom) => string, places: readonly number[] = FULL_PARTS): Mutation =>
  (token, random) => {
    const parts = token.split(".")
    const at = random.pick(places)
    parts[at] = change(parts[at] ?? "", random)
    return parts.join(".")
  }

const inBytes = (
  change: (bytes: Buffer, random: SeededRandom) => Uint8Array,
  places: readonly number[] = [2, 3, 4],
): Mutation =>
  inPart((part, random) => Buffer.from(change(Buffer.from(part, "base64url"), random)).toString("base64url"), places)

const HEADER_CHANGES: readonly Record<string, unknown>[] = [
  { alg: "none" },
  { alg: "A256KW" },
  { alg: "DIR" },
  { alg: ["dir"] },
  { alg: undefined },
  { enc: "A128GCM" },
  { enc: "A256GCM" },
  { enc: "A256CBC-HS512" },
  { enc: null },
  { enc: undefined },
  { zip: "DEF" },
  { zip: null },
  { crit: ["exp"], exp: 1 },
  { crit: [] },
  { kid: "x" },
  { kid: null },
  { kid: undefined },
  { typ: "JWT" },
  { sub: "7" },
]

const changedHeader: Mutation = (token, random) => {
  const [header = "", ...rest] = token.split(".")
  const members = { ...JSON.parse(Buffer.from(header, "base64url").toString()), ...random.pick(HEADER_CHANGES) }
  return [Buffer.from(JSON.stringify(members)).toString("base64url"), ...rest].join(".")
}

/** The unused bits of the last character, which decoders may ignore (RFC 4648 §3.5). */
const trailingBits = (part: string, random: SeededRandom): string => {
  const spare = { 2: 16, 3: 4 }[part.length % 4]
  if (spare === undefined) return `${part}${letter(random)}`
  const value = BASE64URL.indexOf(part.slice(-1))
  return part.slice(0, -1) + BASE64URL[(value & ~(spare - 1)) | random.below(spare)]
}

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "one character replaced": inPart((part, random) => splice(part, random.below(part.length), 1, letter(random))),
  "one character in another case": inPart((part, random) => {
    const at = random.below(part.length)
    const [was = ""] = part.slice(at)
    return splice(part, at, 1, was === was.toUpperCase() ? was.toLowerCase() : was.toUpperCase())
  }),
  "an additional character": inPart(
    (part, random) => splice(part, random.below(part.length + 1), 0, letter(random)),
    PARTS,
  ),
  "an additional character at the end": inPart((part, random) => part + letter(random)),
  "one character removed": inPart((part, random) => splice(part, random.below(part.length), 1, "")),
  "an invalid character instead of one": inPart((part, random) =>
    splice(part, random.below(part.length), 1, random.pick(FOREIGN)),
  ),
  "an additional invalid character": inPart(
    (part, random) => splice(part, random.below(part.length + 1), 0, random.pick(FOREIGN)),
    PARTS,
  ),
  "white space around": (token, random) => random.pick([` ${token}`, `${token} `, `${token}\n`, `\t${token}\r\n`]),
  "correct padding": inPart((part) => part.padEnd(part.length + ((4 - (part.length % 4)) % 4), "=")),
  "the other alphabet of base64": (token) => token.replaceAll("-", "+").replaceAll("_", "/"),
  "other spare bits": inPart(trailingBits),
  "a truncated token": (token, random) => token.slice(0, random.below(token.length)),
  "a token without its first characters": (token, random) => token.slice(1 + random.below(token.length - 1)),
  "a longer token": (token, random) =>
    token + Array.from({ length: 1 + random.below(50) }, () => letter(random)).join(""),
  "two parts swapped": (token, random) => {
    const parts = token.split(".")
    const [from, to] = [random.below(5), random.below(5)]
    const [first = "", second = ""] = [parts[from], parts[to]]
    return parts.with(from, second).with(to, first).join(".")
  },
  "a part missing": (token, random) => token.split(".").toSpliced(random.below(5), 1).join("."),
  "an additional part": (token, random) =>
    token
      .split(".")
      .toSpliced(random.below(6), 0, random.pick(["", letter(random), token]))
      .join("."),
  "an empty part": inPart(() => ""),
  "a part of zeros": inPart((part) => "A".repeat(part.length)),
  "an encrypted key": inPart((_, random) => random.bytes(1 + random.below(64)).toString("base64url"), [1]),
  "a part of another token": (token, random, other) => {
    const at = random.pick(FULL_PARTS)
    return token
      .split(".")
      .with(at, other.split(".")[at] ?? "")
      .join(".")
  },
  "a changed header": changedHeader,
  "a header of random bytes": inBytes((_, random) => random.bytes(random.below(40)), [0]),
  "a shorter tag": inBytes((bytes, random) => bytes.subarray(0, random.below(bytes.length)), [4]),
  "a longer tag": inBytes((bytes, random) => Buffer.concat([bytes, random.bytes(1 + random.below(40))]), [4]),
  "an IV of another length": inBytes((_, random) => random.bytes(random.below(40)), [2]),
  "a flipped bit": inBytes((bytes, random) => {
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
    return bytes
  }),
  "a ciphertext without its last block": inBytes((bytes) => bytes.subarray(0, -16), [3]),
}
