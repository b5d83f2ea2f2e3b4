import { withEntrants } from "../lib/entrants.mjs"
import { measure, rowOf, throughputRatios } from "../lib/measure.mjs"
import { roundsOf } from "../lib/rounds.mjs"
import { OURS, PEERS } from "../lib/variants.mjs"

export const name = "public"
export const title = "GET /public, signed in, the session not asked for"
export const isChecked = true

export async function run(pace) {
  const names = pace.isQuick ? OURS : [...OURS, ...PEERS]
  const found = await withEntrants(names, { sessions: 1_000 }, (entrants) =>
    measure(entrants, { path: "/public", ...roundsOf(pace) }),
  )
  return {
    rows: found.map(rowOf),
    ratios: [...throughputRatios(found[1], { least: 0.97, check: 0.85 })],
  }
}
