import { MIN_SECRET_LENGTH } from "../../config/defaults.js"
import { type DoctorContext, type DoctorFinding, fail, ok, warn } from "./check.js"

/** The minimum entropy of a secret in bits, estimated from the frequencies of its characters. */
const MIN_BITS = 80

const EXAMPLE = /change.?me|your.?secret|example|placeholder|replace|insert|secret.?here|<[^<>]*>|\.\.\.|…/i

const repeats = (text: string): boolean => /^(.{1,16}?)\1+.{0,15}$/s.test(text) && new Set(text).size <= 16

/** True if most characters are adjacent to the previous character in the alphabet, as in "abcd" or "4321". */
function isSequence(text: string): boolean {
  const steps = [...text].slice(1).map((character, i) => character.charCodeAt(0) - text.charCodeAt(i))
  return steps.filter((step) => Math.abs(step) === 1).length > steps.length / 2
}

/** Returns the Shannon entropy of the whole text in bits. */
function estimateBits(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((bits, count) => bits - count * Math.log2(count / text.length), 0)
}

/** Returns why a secret of sufficient length can be guessed; undefined if the secret looks random. */
export function findWeakness(secret: string): string | undefined {
  if (EXAMPLE.test(secret)) return "it looks like an example"
  if (repeats(secret)) return "it repeats itself"
  if (isSequence(secret)) return "its characters are in sequence"
  if (estimateBits(secret) < MIN_BITS) return "it has few different characters"
  return undefined
}

const VARIABLES = ["AUTH_SECRET_3", "AUTH_SECRET_2", "AUTH_SECRET_1", "AUTH_SECRET"] as const

/** Returns the name of the option or variable that contains each secret, in the order of `resolved.secrets`. */
function secretNames({ config: { secret }, env }: DoctorContext): readonly string[] {
  const count = typeof secret === "string" ? 1 : (secret?.length ?? 0)
  if (count === 0) return VARIABLES.filter((name) => env[name])
  return count === 1 ? ["secret"] : Array.from({ length: count }, (_, i) => `secret[${i}]`)
}

/** Checks whether each secret can be guessed. `checkConfiguration` reports missing and short secrets. */
export function checkSecrets(context: DoctorContext): DoctorFinding[] {
  const { secrets, isProduction } = context.resolved
  const names = secretNames(context)
  return secrets.flatMap((secret, i) => {
    const subject = names[i] ?? "secret"
    if (secret.length < MIN_SECRET_LENGTH) return []
    const weakness = findWeakness(secret)
    const role = i === 0 ? ", used for new sessions" : ", accepted for old sessions"
    const detail = `${secret.length} characters that look random${secrets.length > 1 ? role : ""}`
    if (weakness === undefined) return [ok("secret-guessable", subject, detail)]
    const seen = `${weakness}: ${secret.length} characters, ${new Set(secret).size} of them different`
    return [(isProduction ? fail : warn)("secret-guessable", subject, { seen, fix: "npx latchkey secret" })]
  })
}
