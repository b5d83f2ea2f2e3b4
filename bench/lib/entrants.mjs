/**
 * Variants that are ready to be loaded: started, with their sessions, and known to work.
 *
 * @module
 */
import { startServer } from "./server.mjs"
import { VARIANTS } from "./variants.mjs"

/** Starts variants, gives them to a measurement, and ends them however that ends. */
export async function withEntrants(names, { sessions }, use) {
  const started = []
  try {
    for (const name of names) started.push(await startEntrant(name))
    const entrants = await Promise.all(started.map((entrant) => prepare(entrant, sessions)))
    return await use(entrants)
  } finally {
    await Promise.all(started.map(({ server }) => server.stop()))
  }
}

async function startEntrant(name) {
  const variant = VARIANTS[name]
  return { ...variant, name, server: await startServer(variant.file, { env: variant.env }) }
}

async function prepare(entrant, sessions) {
  const cookies = await entrant.cookies(entrant.server, sessions)
  await requireSignIn({ ...entrant, cookie: cookies[0] })
  return { ...entrant, cookies }
}

const get = (server, headers = {}) => fetch(`${server.origin}/me`, { headers })

/** A benchmark of something that does not work is worth nothing. */
async function requireSignIn({ title, server, cookie, isOpen }) {
  const known = await get(server, { cookie })
  const text = await known.text()
  if (known.status !== 200 || JSON.parse(text).name !== "Person 000000")
    throw new Error(`${title} does not know its user: ${known.status} ${text}`)
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
