/**
 * Measures what provider tokens cost a request in Express: one that does not ask for a token, with and without an OAuth
 * provider, and one that calls `req.accessToken()` for a valid token. The requests do not use the network. The entrants
 * take turns, so that other work on the machine affects all of them.
 *
 *   node bench/provider-tokens.mjs            the CPU time of a request, in microseconds
 *   node bench/provider-tokens.mjs --check    fails if a call costs more than 20 µs, or a request without one 2 µs
 */
import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import express from "express"
import { Auth, authMiddleware, customFetch } from "../dist/index.js"
import Credentials from "../dist/providers/credentials.js"
import GitHub from "../dist/providers/github.js"
import { MemoryStore } from "../dist/stores/memory.js"
import { quantile } from "./lib/numbers.mjs"
import { SECRET } from "./variants/constants.mjs"

const REQUESTS = 4_000
const ROUNDS = 60
const WARM_UP_ROUNDS = 5
const LIMITS = { attached: 2, call: 20 }
const isCheck = process.argv.includes("--check")

/** Answers as GitHub with an access token that is valid for eight hours. */
const answerAsGitHub = async (url) =>
  Response.json(
    String(url).includes("access_token")
      ? { access_token: "gho_token", token_type: "bearer", expires_in: 28_800, refresh_token: "ghr_token" }
      : { id: 1, login: "ada", name: "Ada Lovelace", email: "ada@example.com" },
  )
const github = GitHub({ clientId: "id", clientSecret: "secret", [customFetch]: answerAsGitHub })
const password = Credentials({ credentials: {}, authorize: () => null })
const createConfig = (providers) => ({
  ...{ providers, secret: SECRET, trustHost: true, rateLimit: false, store: MemoryStore(), basePath: "/auth" },
})

/** Signs in with GitHub, and returns the Cookie header. */
async function signIn(config) {
  const jar = new Map()
  const cookie = () => [...jar].map((pair) => pair.join("=")).join("; ")
  const send = async (url, options = {}) => {
    const headers = { cookie: cookie() }
    const response = await Auth(new Request(new URL(url, "http://app.test"), { headers, ...options }), config)
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)
      jar.set(name, value)
    }
    return response
  }
  const { csrfToken } = await (await send("/auth/csrf")).json()
  const started = await send("/auth/signin/github", { method: "POST", body: new URLSearchParams({ csrfToken }) })
  const { searchParams } = new URL(started.headers.get("location"))
  await send(`/auth/callback/github?code=code&state=${searchParams.get("state")}`)
  return cookie()
}

/** An Express application whose routes end the request by calling `req.done`. */
function createApp(config) {
  const app = express()
  if (config) app.use(authMiddleware(config))
  app.get("/plain", (req) => req.done())
  app.get("/session", (req) => req.getSession().then(req.done, req.done))
  app.get("/token", (req) =>
    req
      .getSession()
      .then(() => req.accessToken("github"))
      .then((token) => req.done(token === "gho_token" ? undefined : new Error(token)), req.done),
  )
  return app
}

function request(app, path, cookie) {
  const req = new IncomingMessage(new Socket())
  Object.assign(req, { url: path, method: "GET" })
  req.headers.host = "app.test"
  req.headers.cookie = cookie
  return new Promise((resolve, reject) => {
    req.done = (error) => (error instanceof Error ? reject(error) : resolve())
    app(req, new ServerResponse(req), (error) => reject(error ?? new Error(`no route for ${path}`)))
  })
}

/** The CPU time of a request in microseconds. */
async function meanMicroseconds({ app, path, cookie }) {
  const before = process.cpuUsage()
  for (let index = 0; index < REQUESTS; index++) await request(app, path, cookie)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / REQUESTS
}

const config = createConfig([password, github])
const cookie = await signIn(config)
const withGitHub = createApp(config)
const entrants = [
  { name: "bare Express", app: createApp(), path: "/plain" },
  { name: "without an OAuth provider", app: createApp(createConfig([password])), path: "/plain" },
  { name: "with an OAuth provider", app: withGitHub, path: "/plain" },
  { name: "the session is read", app: withGitHub, path: "/session" },
  { name: "the session is read, and `req.accessToken()` called", app: withGitHub, path: "/token" },
].map((entrant) => ({ ...entrant, cookie, times: [] }))

for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++)
  for (const entrant of entrants) {
    const time = await meanMicroseconds(entrant)
    if (round >= 0) entrant.times.push(time)
  }

// Other work on the machine only makes requests slower, so the quieter rounds are more accurate.
const cost = entrants.map(({ times }) => quantile(times, 0.25))
const costs = { attached: cost[2] - cost[1], call: cost[4] - cost[3] }
console.log("| GET request, not sent over the network | CPU time |\n|---|--:|")
for (const [index, { name }] of entrants.entries()) console.log(`| ${name} | ${cost[index].toFixed(1)} µs |`)
console.log(`\nan OAuth provider: ${costs.attached.toFixed(1)} µs; a call: ${costs.call.toFixed(1)} µs`)
for (const [name, limit] of Object.entries(LIMITS))
  if (isCheck && costs[name] > limit) {
    console.error(`TOO EXPENSIVE: ${name} costs ${costs[name].toFixed(1)} µs, at most ${limit} µs`)
    process.exitCode = 1
  }
