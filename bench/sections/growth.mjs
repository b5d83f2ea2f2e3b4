import { withEntrants } from "../lib/entrants.mjs"
import { measure, rowOf } from "../lib/measure.mjs"
import { roundsOf } from "../lib/rounds.mjs"
import { largeCookies } from "../lib/sessions.mjs"

export const name = "growth"
export const title = "GET /me, with more providers, more secrets, a larger cookie"
export const isChecked = true

/** More sessions than the cache holds, so that each is decrypted: cached sessions would hide that cost. */
const SESSIONS = 20_000
const LARGE_SESSIONS = 2_000

const providers = (pace) =>
  withEntrants(
    ["latchkey", "100-providers", ...(pace.isCheck ? [] : ["20-providers"])],
    { sessions: 1_000 },
    (entrants) => measure(entrants, { path: "/me", ...roundsOf(pace) }),
  )

const secrets = (pace) =>
  withEntrants(["latchkey", "3-secrets"], { sessions: SESSIONS }, (entrants) =>
    measure(entrants, { path: "/me", ...roundsOf(pace) }),
  )

const chunks = (pace) =>
  withEntrants(["latchkey"], { sessions: SESSIONS }, async ([one]) => {
    const three = { ...one, title: "latchkey, cookie of 3 chunks", cookies: await largeCookies(LARGE_SESSIONS) }
    return measure([one, three], { path: "/me", ...roundsOf(pace) })
  })

const ratioOf = (name, { ofBaseCpu }, bounds) => ({ name: `CPU with ${name}, of 1`, value: ofBaseCpu, ...bounds })

export async function run(pace) {
  const byProviders = await providers(pace)
  const [, hundred, twenty] = byProviders
  const ofHundred = ratioOf("100 providers", hundred, { most: 1.05, check: 1.15 })
  if (pace.isCheck) return { rows: byProviders.map(rowOf), ratios: [ofHundred] }
  const [bySecrets, byChunks] = [await secrets(pace), await chunks(pace)]
  return {
    rows: [byProviders, bySecrets, byChunks].flatMap((found) => found.map(rowOf)),
    ratios: [
      ratioOf("20 providers", twenty, { most: 1.05 }),
      ofHundred,
      ratioOf("3 secrets, never seen", bySecrets[1], { most: 1.1 }),
      ratioOf("3 chunks, never seen", byChunks[1], { most: 2 }),
    ],
  }
}
