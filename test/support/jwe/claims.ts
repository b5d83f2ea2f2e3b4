import type { SeededRandom } from "../seeded-random.js"

const TEXTS = [
  "",
  "Ada Lovelace",
  "Zoë Ångström",
  "Übergröße – „naïve“",
  "日本語のテキスト",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "e\u0301 \u202e\u0000\u001f\u007f\u2028",
  '"\\/\b\f\n\r\t',
  "__proto__",
  "\ud800 alone",
]

const NUMBERS = [0, -0, 1, -1, 0.1, 1e21, 2 ** 53, -1e-7, 1_800_000_000]

/** A JSON value of any kind, a few levels deep. */
function anyJson(random: SeededRandom, depth = 0): unknown {
  const kinds: (() => unknown)[] = [
    () => random.pick(TEXTS),
    () => random.pick(TEXTS).repeat(random.below(30)),
    () => random.pick(NUMBERS),
    () => random.pick([true, false, null]),
  ]
  if (depth < 4) {
    kinds.push(() => Array.from({ length: random.below(4) }, () => anyJson(random, depth + 1)))
    kinds.push(() => anyObject(random, depth + 1))
  }
  return random.pick(kinds)()
}

/** An object of any size, which can be empty. */
const anyObject = (random: SeededRandom, depth = 0): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: random.below(5) }, (_, i) => [`${random.pick(TEXTS)}${i}`, anyJson(random, depth)]),
  )

/** Claims of an application, which rarely exceed one cookie. */
export function anyClaims(random: SeededRandom): Record<string, unknown> {
  const size = random.below(200) === 0 ? 6_000 : 0
  return { ...anyObject(random), ...(size > 0 && { filler: "x".repeat(random.below(size)) }) }
}
