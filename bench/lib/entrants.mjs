/**
 * Variants that are ready for load: started, with sessions, and verified to work.
 *
 * @module
 */
import { personOf } from "../variants/constants.mjs"
import { startServer } from "./server.mjs"
import { CLIENT_ID } from "./sign-in.mjs"
import { VARIANTS } from "./variants.mjs"

/** Starts variants, passes them to a measurement, and always stops them afterwards. */
export async function withEntrants(names, { sessions }, use) {
  const starting = []
  const start = (file, env) => {
    const server = startServer(file, { env })
    starting.push(server)
    return server
  }
  try {
    return await use(await Promise.all(names.map((name) => createEntrant(VARIANTS[name], { sessions, start }))))
  } finally {
    const started = await Promise.allSettled(starting)
    await Promise.all(started.map(({ value }) => value?.stop()))
  }
}

async function createEntrant(variant, { sessions, start }) {
  const companion = variant.companion && (await start(variant.companion))
  const atIssuer = companion && { BENCH_ISSUER: companion.origin, BENCH_CLIENT_ID: CLIENT_ID }
  const server = await start(variant.file, { ...variant.env, ...atIssuer })
  const cookies = await variant.cookies({ server, companion }, sessions)
  const entrant = { ...variant, server, cookies }
  await requireSignIn(entrant)
  return entrant
}

const get = (server, headers = {}) => fetch(`${server.origin}/me`, { headers })

/** Verifies that a variant works, because a benchmark of a broken one is useless. */
async function requireSignIn({ title, server, cookies: [cookie], isOpen, user = personOf(0).name }) {
  const known = await get(server, { cookie })
  const text = await known.text()
  if (known.status !== 200 || JSON.parse(text).name !== user)
    throw new Error(`${title} does not return its user: ${known.status} ${text}\n${server.lastWords()}`)
  const stranger = await get(server)
  if (stranger.status !== 401) throw new Error(`${title} answers a request without a session with ${stranger.status}`)
  const forged = await get(server, { cookie: tamper(cookie) })
  if (!isOpen && forged.status !== 401) throw new Error(`${title} answers a changed cookie with ${forged.status}`)
}

/** Changes one character in the middle of each cookie. */
const tamper = (cookie) =>
  cookie
    .split("; ")
    .map((pair) => {
      const middle = Math.floor((pair.indexOf("=") + pair.length) / 2)
      return pair.slice(0, middle) + (pair[middle] === "A" ? "B" : "A") + pair.slice(middle + 1)
    })
    .join("; ")
