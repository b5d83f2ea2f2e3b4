import { isDeepStrictEqual } from "node:util"
import { decodeProtectedHeader, EncryptJWT, type JWTDecryptGetKey, jwtDecrypt } from "jose"
import { open, seal } from "../../../lib/security/jwe.js"
import { deriveKeys } from "../../../lib/security/keys.js"
import { anyClaims } from "../../support/jwe/claims.js"
import { MUTATIONS } from "../../support/jwe/mutations.js"
import { ODD, oddToken } from "../../support/jwe/odd-tokens.js"
import { type Encryption, rawKey } from "../../support/jwe/raw-seal.js"
import { PROPERTY_RUNS } from "../../support/properties.js"
import { type SeededRandom, seededRandom } from "../../support/seeded-random.js"

const SALT = "authjs.session-token"
const NOW_SECONDS = 1_800_000_000
const NOW = NOW_SECONDS * 1000
const SECRETS = ["the first secret", "the second: ü", "x".repeat(100)]
const SETTING = { salt: SALT, secrets: SECRETS, nowSeconds: NOW_SECONDS }

const VALID = 2 * PROPERTY_RUNS
const MUTATED = 18 * PROPERTY_RUNS
const ODDLY_SEALED = 2 * PROPERTY_RUNS
const LIMIT_MS = Math.max(60_000, 60 * PROPERTY_RUNS)
/** The number of concurrent operations that keeps the WebCrypto threads busy. */
const AT_ONCE = 16

const keys = deriveKeys(SECRETS, SALT)
const sealing = new Map(SECRETS.map((secret) => [secret, deriveKeys([secret], SALT)]))
const ringFor = (enc: Encryption) => SECRETS.map((secret) => rawKey(secret, SALT, enc))
const RINGS: Readonly<Record<Encryption, ReturnType<typeof ringFor>>> = {
  "A256CBC-HS512": ringFor("A256CBC-HS512"),
  A256GCM: ringFor("A256GCM"),
}

const OPTIONS = {
  clockTolerance: 15,
  keyManagementAlgorithms: ["dir"],
  contentEncryptionAlgorithms: ["A256CBC-HS512", "A256GCM"],
  currentDate: new Date(NOW),
  // We refuse compressed content (RFC 8725 §3.6), so jose must refuse it too.
  maxDecompressedLength: 0,
}

type Verdict = { readonly claims: unknown } | undefined

/** Returns the key that the header names, or the key at index `place` if it names none. */
const joseKey =
  (place: number): JWTDecryptGetKey =>
  ({ enc, kid }) => {
    // jose has already accepted the encryption.
    const ring = RINGS[enc as Encryption]
    const key = kid === undefined ? ring[place] : ring.find((candidate) => candidate.kid === kid)
    if (!key) throw new Error("no matching decryption secret")
    return key.bytes
  }

async function openWithJose(token: string): Promise<Verdict> {
  // If the token names no key, each secret is tried.
  const places = namesNoKey(token) ? SECRETS.keys() : [0]
  for (const place of places) {
    const opened = await jwtDecrypt(token, joseKey(place), OPTIONS).catch(() => undefined)
    if (opened) return { claims: opened.payload }
  }
  return undefined
}

function namesNoKey(token: string): boolean {
  try {
    return decodeProtectedHeader(token).kid === undefined
  } catch {
    return false
  }
}

function openOurs(token: string): Verdict {
  try {
    return { claims: open(token, keys, NOW) }
  } catch {
    return undefined
  }
}

/**
 * jose accepts white space and padding within base64url, which RFC 7515 §2 forbids, and claims that the header repeats
 * unchanged (RFC 7519 §5.3). We refuse both.
 */
function isLeniency(token: string): boolean {
  const [header = ""] = token.split(".")
  if (!/^[\w.-]*$/.test(token)) return true
  const { iss, sub, aud } = JSON.parse(
    Buffer.from(header, "base64url")
      .toString()
      .replace(/^\ufeff/, ""),
  )
  return [iss, sub, aud].some((claim) => claim !== undefined)
}

interface Trial {
  readonly seed: number
  readonly kind: string
  readonly token: string
}

interface Tally {
  opened: number
  refused: number
  lenient: number
  readonly disagreements: string[]
}

async function compare({ seed, kind, token }: Trial, tally: Tally): Promise<void> {
  const [ours, theirs] = [openOurs(token), await openWithJose(token)]
  if (ours && theirs && isDeepStrictEqual(ours.claims, theirs.claims)) tally.opened++
  else if (!ours && !theirs) tally.refused++
  else if (!ours && isLeniency(token)) tally.lenient++
  else tally.disagreements.push(`seed ${seed}, ${kind}: ${ours ? "ours opens" : "jose opens"} ${JSON.stringify(token)}`)
}

/**
 * Opens `count` tokens with both implementations. The seed reproduces a token, except for the values that sealing draws
 * at random.
 */
async function compareAll(count: number, make: (seed: number) => Trial | Promise<Trial>): Promise<Tally> {
  const tally: Tally = { opened: 0, refused: 0, lenient: 0, disagreements: [] }
  for (let from = 0; from < count; from += AT_ONCE) {
    const seeds = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => from + i)
    await Promise.all(seeds.map(async (seed) => compare(await make(seed), tally)))
  }
  return tally
}

/** Expects no disagreement, and a minimum of opened and of refused tokens, so that the comparison is meaningful. */
function expectAgreement({ disagreements, opened, refused }: Tally): void {
  // Ten disagreements are enough to see the cause.
  expect(disagreements.slice(0, 10)).toEqual([])
  expect(opened).toBeGreaterThan(PROPERTY_RUNS / 10)
  expect(refused).toBeGreaterThan(PROPERTY_RUNS / 10)
}

/** A valid token by our `seal`, or by jose with either encryption, with or without a key id. */
async function validToken(random: SeededRandom): Promise<string> {
  const claims = anyClaims(random)
  const secret = random.pick(SECRETS)
  if (random.below(2) === 0) return seal(claims, sealing.get(secret) ?? keys, 60, NOW)
  const enc = random.pick(["A256CBC-HS512", "A256GCM"] as const)
  const { bytes, kid } = rawKey(secret, SALT, enc)
  const header = { alg: "dir", enc, ...(random.below(4) > 0 && { kid }) }
  const jwt = new EncryptJWT(claims).setProtectedHeader(header).setIssuedAt(NOW_SECONDS)
  return (random.below(4) === 0 ? jwt : jwt.setExpirationTime(NOW_SECONDS + 60)).encrypt(bytes)
}

describe("open() and jose's jwtDecrypt()", () => {
  // Collecting the stack trace takes longer than the refusal itself.
  const { stackTraceLimit } = Error
  beforeAll(() => {
    Error.stackTraceLimit = 0
  })
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit
  })

  it(
    "open the same valid tokens",
    async () => {
      const tally = await compareAll(VALID, async (seed) => ({
        seed,
        kind: "valid",
        token: await validToken(seededRandom(seed)),
      }))
      expect(tally).toEqual({ opened: VALID, refused: 0, lenient: 0, disagreements: [] })
    },
    LIMIT_MS,
  )

  it(
    "agree on each mutated token",
    async () => {
      const tokens = await Promise.all(Array.from({ length: 500 }, (_, i) => validToken(seededRandom(i))))
      const kinds = Object.entries(MUTATIONS)
      const tally = await compareAll(MUTATED, (seed) => {
        const random = seededRandom(seed)
        const [kind, mutate] = kinds[seed % kinds.length] ?? ["", (token: string) => token]
        const [token = "", other = ""] = [tokens[random.below(500)], tokens[random.below(500)]]
        return { seed, kind, token: mutate(token, random, other) }
      })
      expectAgreement(tally)
    },
    LIMIT_MS,
  )

  it(
    "agree on each token that was sealed in an unusual way",
    async () => {
      const kinds = Object.entries(ODD)
      const tally = await compareAll(ODDLY_SEALED, (seed) => {
        const random = seededRandom(seed)
        const [kind, make] = kinds[seed % kinds.length] ?? ["", () => ""]
        return { seed, kind, token: oddToken(make, SETTING, anyClaims(random), random) }
      })
      expectAgreement(tally)
    },
    LIMIT_MS,
  )
})
