/**
 * The memory of a process after many requests of signed-in users, compared with its memory after the warm-up.
 *
 * @module
 */
import { rotate } from "../lib/load.mjs"
import { startServer } from "../lib/server.mjs"
import { sealedCookies } from "../lib/sessions.mjs"
import { loadCount } from "../parts/load-count.mjs"

export const name = "memory"
export const title = "Memory over many requests, everything else collected"

const KINDS = [
  { title: "sessions seen before", sessions: 1_000, requests: 500_000, quick: 30_000 },
  { title: "each session for the first time", sessions: 50_000, requests: 500_000, quick: 30_000 },
]
const LOOKS = 5
/** The share of the requests after which a process is warm. */
const WARM = 0.1

async function runKind({ title, sessions, requests, quick }, { isQuick }) {
  const all = isQuick ? quick : requests
  const next = rotate("/me", await sealedCookies(isQuick ? Math.min(sessions, 20_000) : sessions))
  const server = await startServer("memory-latchkey", { execArgv: ["--expose-gc"] })
  const looks = []
  let done = 0
  try {
    for (let look = 0; look < LOOKS; look++) {
      const until = all * (WARM + ((1 - WARM) * look) / (LOOKS - 1))
      done += await loadCount(server.port, until - done, { next })
      looks.push({ title, done, ...(await server.ask("memory")) })
    }
  } finally {
    await server.stop()
  }
  return looks
}

const rowOf = ({ title, done, held, rss }) => ({
  requests: title,
  "so far": done,
  "heap and external MB": (held / 1e6).toFixed(2),
  "RSS MB": (rss / 1e6).toFixed(0),
})

export async function run({ isQuick }) {
  const kinds = []
  for (const kind of KINDS) kinds.push(await runKind(kind, { isQuick }))
  return {
    rows: kinds.flat().map(rowOf),
    ratios: kinds.map((looks) => ({
      name: `memory held at the end, of that when warm: ${looks[0].title}`,
      value: looks.at(-1).held / looks[0].held,
      most: 1.05,
    })),
  }
}
