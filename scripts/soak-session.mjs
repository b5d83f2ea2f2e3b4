/**
 * FLT-27: sends `GET /auth/session` with a session cookie at a fixed rate. Reports the number of responses, their
 * latency and the growth of the server's memory.
 *
 *   npm run soak:session                                   2,000 a second for 60 s, server and load on a core each
 *   npm run soak:session -- --rate 300 --seconds 5 --json     on any core, and as JSON
 *
 * @module
 */
import { parseArgs } from "node:util"
import autocannon from "autocannon"
import { pinLoad } from "../bench/lib/cores.mjs"
import { createAgent, createBrowser } from "../bench/parts/browser.mjs"
import { startServer } from "./soak/start.mjs"

const { values: options } = parseArgs({
  options: {
    rate: { type: "string", default: "2000" },
    seconds: { type: "string", default: "60" },
    json: { type: "boolean", default: false },
  },
})

const CONNECTIONS = 10
const WARM_UP_SHARE = 0.2

/** The Cookie header of a signed-in user. */
async function signIn(origin) {
  const agent = createAgent()
  const visit = createBrowser(agent)
  const { csrfToken } = JSON.parse((await visit(`${origin}/auth/csrf`)).text)
  const { headers } = await visit(`${origin}/auth/callback/credentials`, { csrfToken, name: "Ada" })
  agent.destroy()
  return headers["set-cookie"].map((line) => line.split(";")[0]).join("; ")
}

const load = (origin, cookie, seconds) =>
  autocannon({
    url: `${origin}/auth/session`,
    connections: CONNECTIONS,
    overallRate: Number(options.rate),
    duration: seconds,
    headers: { cookie },
    // A response without a user would be fast but wrong.
    verifyBody: (body) => String(body).includes('"name":"Ada"'),
  })

async function measure(server) {
  const [{ origin }] = server.origins
  const cookie = await signIn(origin)
  await load(origin, cookie, Math.max(1, Math.round(options.seconds * WARM_UP_SHARE)))
  const before = await server.memory()
  const { errors, timeouts, non2xx, mismatches, requests, latency } = await load(
    origin,
    cookie,
    Number(options.seconds),
  )
  const after = await server.memory()
  return {
    requests: requests.total,
    errors: errors + timeouts + non2xx + mismatches,
    perSecond: Math.round(requests.average),
    p50: latency.p50,
    p99: latency.p99,
    growth: after.rss / before.rss,
  }
}

if (!options.json) pinLoad()
const server = await startServer(["lasting"], { isPinned: !options.json })
try {
  const found = await measure(server)
  console.log(options.json ? JSON.stringify(found) : found)
  if (found.errors > 0) process.exitCode = 1
} finally {
  await server.stop()
}
