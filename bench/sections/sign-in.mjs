/**
 * The cost of a whole sign-in at an OpenID provider for the application, and the number of requests to the provider. The
 * relying parties take turns. The provider is a real one in a separate process.
 *
 * @module
 */
import { median } from "../lib/numbers.mjs"
import { startServer } from "../lib/server.mjs"
import { createAgent, createBrowser } from "../parts/browser.mjs"

export const name = "sign-in"
export const title = "A sign-in at an OpenID provider, eight at once"

const AT_ONCE = 8
const PARTIES = [
  { title: "@auth/express", file: "sign-in-authjs" },
  { title: "latchkey", file: "sign-in-latchkey" },
]
/** The requests of the application to its provider, which no browser sends. */
const BACK_CHANNEL = ["POST /token", "GET /me", "POST /me", "GET /jwks", "GET /.well-known/openid-configuration"]

async function startParty({ title, file }, provider) {
  const env = { BENCH_ISSUER: provider.origin, BENCH_CLIENT_ID: file }
  const server = await startServer(file, { env })
  await provider.ask({ client_id: file, redirect_uris: [`${server.origin}/auth/callback/bench`] })
  return { title, server, slices: [] }
}

/** Signs in like a user with a new browser, up to the page that shows the user's name. */
async function signIn({ title, server: { origin } }, agent) {
  const visit = createBrowser(agent)
  const { csrfToken } = JSON.parse((await visit(`${origin}/auth/csrf`)).text)
  let page = await visit(`${origin}/auth/signin/bench`, { csrfToken, callbackUrl: `${origin}/me` })
  for (let steps = 0; page.location && steps < 8; steps++) page = await visit(page.location)
  if (page.status !== 200 || JSON.parse(page.text).name !== "Ada Lovelace")
    throw new Error(`${title} does not return the user who signed in: ${page.status} ${page.text.slice(0, 200)}`)
}

async function signInOften(party, count, agent) {
  let left = count
  const one = async () => {
    while (left-- > 0) await signIn(party, agent)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
}

const microsOf = ({ cpu: { user, system } }) => user + system

async function runSlice(party, provider, { count, agent }) {
  await provider.ask("forget")
  const before = await party.server.ask("usage")
  const startedAt = performance.now()
  await signInOften(party, count, agent)
  const seconds = (performance.now() - startedAt) / 1000
  const after = await party.server.ask("usage")
  const { requests } = await provider.ask("usage")
  return { count, rate: count / seconds, cpuMs: (microsOf(after) - microsOf(before)) / count / 1000, requests }
}

function summaryOf({ title, slices }) {
  const signIns = slices.reduce((sum, { count }) => sum + count, 0)
  const times = (kind) => slices.reduce((sum, { requests }) => sum + (requests[kind] ?? 0), 0) / signIns
  const asked = BACK_CHANNEL.map((kind) => ({ kind, times: times(kind) })).filter(({ times }) => times > 0)
  const each = (name) => slices.map((slice) => slice[name])
  return {
    title,
    rate: median(each("rate")),
    cpuMs: median(each("cpuMs")),
    asked,
    toProvider: asked.reduce((sum, { times }) => sum + times, 0),
  }
}

const rowOf = ({ title, rate, cpuMs, asked, toProvider }) => ({
  variant: title,
  "sign-ins/s": rate.toFixed(1),
  "CPU ms": cpuMs.toFixed(2),
  "requests to the provider": toProvider.toFixed(2),
  which: asked.map(({ kind, times }) => `${kind} × ${times.toFixed(2)}`).join(", "),
})

async function measure(parties, provider, { rounds, count, warmUp, agent }) {
  for (const party of parties) await signInOften(party, warmUp, agent)
  for (let round = 0; round < rounds; round++)
    for (const party of parties) party.slices.push(await runSlice(party, provider, { count, agent }))
  return parties.map(summaryOf)
}

export async function run({ isQuick }) {
  const pace = isQuick ? { rounds: 3, count: 60, warmUp: 150 } : { rounds: 5, count: 200, warmUp: 800 }
  const agent = createAgent()
  const provider = await startServer("sign-in-provider")
  const parties = []
  try {
    for (const party of PARTIES) parties.push(await startParty(party, provider))
    const found = await measure(parties, provider, { ...pace, agent })
    const [authjs, latchkey] = found
    return {
      rows: found.map(rowOf),
      ratios: [
        { name: "CPU of a sign-in, of @auth/express", value: latchkey.cpuMs / authjs.cpuMs, most: 0.25 },
        { name: "requests to the provider for a sign-in, once warm", value: latchkey.toProvider, most: 1 },
      ],
    }
  } finally {
    agent.destroy()
    await Promise.all([provider, ...parties.map(({ server }) => server)].map((server) => server.stop()))
  }
}
