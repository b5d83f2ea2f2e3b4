import { connect } from "node:net"
import { withEntrants } from "../lib/entrants.mjs"
import { measure, rowOf } from "../lib/measure.mjs"
import { roundsOf } from "../lib/rounds.mjs"

export const name = "database"
export const title = "GET /me, sessions in a store (1,000), beside bare Express that makes the same query"

const { TEST_POSTGRES_URL: postgres = "postgres://127.0.0.1:5432", TEST_REDIS_URL: redis = "redis://127.0.0.1:6379" } =
  process.env

/** The databases, with the server that one of them needs. */
const STORES = [
  { store: "memory" },
  { store: "sqlite" },
  { store: "postgres", at: postgres },
  { store: "redis", at: redis },
]

const isReachable = ({ hostname, port }) =>
  new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.once("error", () => resolve(false))
    socket.once("connect", () => resolve(true))
    socket.once("connect", () => socket.destroy())
  })

async function measureStore({ store, at }, pace) {
  if (at && !(await isReachable(new URL(at)))) {
    console.warn(`\nSKIPPED: ${store} can't be reached at ${new URL(at).host}, so it is not measured`)
    return { rows: [], ratios: [] }
  }
  const found = await withEntrants([`bare-${store}`, store], { sessions: 1_000 }, (entrants) =>
    // The database works too, so no round is quiet.
    measure(entrants, { path: "/me", ...roundsOf(pace), patience: 1 }),
  )
  const value = found[1].overBase
  return { rows: found.map(rowOf), ratios: [{ name: `${store}: CPU µs over the bare query`, value, most: 60 }] }
}

export async function run(pace) {
  const found = []
  for (const store of STORES) found.push(await measureStore(store, pace))
  return { rows: found.flatMap(({ rows }) => rows), ratios: found.flatMap(({ ratios }) => ratios) }
}
