/**
 * Variants that are ready to be loaded: started, with their sessions, and known to work.
 *
 * @module
 */
import { personOf } from "../variants/constants.mjs"
import { startServer } from "./server.mjs"
import { CLIENT_ID } from "./sign-in.mjs"
import { VARIANTS } from "./variants.mjs"

/** Starts variants, gives them to a measurement, and ends them however that ends. */
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

/** A benchmark of something that does not work is worth nothing. */
async function requireSignIn({ title, server, cookies: [cookie], isOpen, user = personOf(0).name }) {
  const known = await get(server, { cookie })
  const text = await known.text()
  if (known.status !== 200 || JSON.parse(text).name !== user)
    throw new Error(`${title} does not know its user: ${known.status} ${text}\n${server.lastWords()}`)
  const stranger = await get(server)
  if (stranger.status !== 401) throw new Error(`${title} answers a stranger with ${stranger.status}`)
  const forged = await get(server, { cookie: tamper(cookie) })
  if (!isOpen && forged.status !== 401) throw new Error(`${title} answers a changed cookie with ${forged.status}`)
}

/** One character changed in the middle of each cookie. */
const tamper = (cookie) =>
  cookie
    .split("; ")
    .map((pair) => {
      const middle = Math.floor((pair.indexOf("=") + pair.length) / 2)
      return pair.slice(0, middle) + (pair[middle] === "A" ? "B" : "A") + pair.slice(middle + 1)
    })
    .join("; ")
