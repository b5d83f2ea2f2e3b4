import { withEntrants } from "../lib/entrants.mjs"
import { measure, ratioOfExtra, rowOf } from "../lib/measure.mjs"
import { roundsOf } from "../lib/rounds.mjs"
import { OURS } from "../lib/variants.mjs"

export const name = "never-seen"
export const title = "GET /me, signed in, each session for the first time"
export const isChecked = true

/** Far more than any cache holds, so that a repeated one is not cached. */
const SESSIONS = { few: 20_000, many: 100_000 }

export async function run(pace) {
  const names = pace.isCheck ? OURS.slice(0, 3) : OURS
  const sessions = pace.isQuick ? SESSIONS.few : SESSIONS.many
  const found = await withEntrants(names, { sessions }, (entrants) =>
    measure(entrants, { path: "/me", ...roundsOf(pace) }),
  )
  const [, latchkey, limit] = found
  return {
    rows: found.map(rowOf),
    ratios: [{ name: "extra CPU, relative to handwritten", value: ratioOfExtra(latchkey, limit), most: 1.3, check: 2 }],
  }
}
