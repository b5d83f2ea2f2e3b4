import { withEntrants } from "../lib/entrants.mjs"
import { measure, rowOf } from "../lib/measure.mjs"
import { roundsOf } from "../lib/rounds.mjs"
import { largeCookies } from "../lib/sessions.mjs"

export const name = "growth"
export const title = "GET /me, with more providers, more secrets, a larger cookie"
export const isChecked = true

/** More than anybody keeps, so that each is opened; a session that was opened before hides what opening costs. */
const SESSIONS = 5_000

const providers = (pace) =>
  withEntrants(["latchkey", "20-providers", "100-providers"], { sessions: 1_000 }, (entrants) =>
    measure(entrants, { path: "/me", ...roundsOf(pace) }),
  )

const secrets = (pace) =>
  withEntrants(["latchkey", "3-secrets"], { sessions: SESSIONS }, (entrants) =>
    measure(entrants, { path: "/me", ...roundsOf(pace) }),
  )

const chunks = (pace) =>
  withEntrants(["latchkey"], { sessions: SESSIONS }, async ([one]) => {
    const three = { ...one, title: "latchkey, cookie of 3 chunks", cookies: await largeCookies(SESSIONS) }
    return measure([one, three], { path: "/me", ...roundsOf(pace) })
  })

export async function run(pace) {
  const byProviders = await providers(pace)
  const bySecrets = await secrets(pace)
  const byChunks = await chunks(pace)
  return {
    rows: [...byProviders, ...bySecrets, ...byChunks].map((summary) => rowOf(summary)),
    ratios: [
      { name: "CPU with 20 providers, of 1", value: byProviders[1].ofBaseCpu, most: 1.05 },
      { name: "CPU with 100 providers, of 1", value: byProviders[2].ofBaseCpu, most: 1.05, check: 1.15 },
      { name: "CPU with 3 secrets, of 1, never seen", value: bySecrets[1].ofBaseCpu, most: 1.1, check: 1.25 },
      { name: "CPU with 3 chunks, of 1, never seen", value: byChunks[1].ofBaseCpu, most: 2, check: 3 },
    ],
  }
}
