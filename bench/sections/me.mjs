import { withEntrants } from "../lib/entrants.mjs"
import { measure, ratioOfExtra, rowOf, throughputRatios } from "../lib/measure.mjs"
import { roundsOf } from "../lib/rounds.mjs"
import { OURS, PEERS } from "../lib/variants.mjs"

export const name = "me"
export const title = "GET /me, signed in, sessions seen before (1,000 in rotation)"
export const isChecked = true

export async function run(pace) {
  const names = pace.isCheck || pace.isQuick ? OURS : [...OURS, ...PEERS]
  const found = await withEntrants(names, { sessions: 1_000 }, (entrants) =>
    measure(entrants, { path: "/me", ...roundsOf(pace) }),
  )
  const [, latchkey, limit, authjs] = found
  return {
    rows: found.map(rowOf),
    ratios: [
      {
        name: "extra CPU, relative to @auth/express",
        value: ratioOfExtra(latchkey, authjs),
        most: 1 / 30,
        check: 0.06,
      },
      { name: "extra CPU, relative to handwritten", value: ratioOfExtra(latchkey, limit), most: 0.6, check: 1.2 },
      ...throughputRatios(latchkey, { least: 0.88 }),
    ],
  }
}
