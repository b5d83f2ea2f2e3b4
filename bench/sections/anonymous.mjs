import { withEntrants } from "../lib/entrants.mjs"
import { measure, rowOf, throughputRatios } from "../lib/measure.mjs"
import { roundsOf } from "../lib/rounds.mjs"
import { OURS, PEERS } from "../lib/variants.mjs"

export const name = "anonymous"
export const title = "GET /me without a cookie: 401"
export const isChecked = true

const nobody = (entrant) => ({ ...entrant, cookies: [""] })

export async function run(pace) {
  const names = pace.isQuick ? OURS : [...OURS, ...PEERS]
  const found = await withEntrants(names, { sessions: 1 }, (entrants) =>
    measure(entrants.map(nobody), { path: "/me", status: 401, ...roundsOf(pace) }),
  )
  return {
    rows: found.map(rowOf),
    ratios: [...throughputRatios(found[1], { least: 0.93, check: 0.75 })],
  }
}
