/**
 * Measures what reading a signed-in session costs, as CPU time of the server per request over bare Express. The
 * variants take turns in short slices, so that a drift of the machine meets all of them alike.
 *
 *   npm run build && npm run bench            a minute
 *   npm run bench -- --quick                  a quarter of a minute
 *   npm run bench -- --check                  exits with 1 when latchkey costs more than a tenth of @auth/express, or a
 *                                             hundred providers more than one
 */
import { fork } from "node:child_process"
import autocannon from "autocannon"

/** The last is ours with a hundred providers in place of one. */
const VARIANTS = ["bare", "authjs", "latchkey", "latchkey-100"]
const isQuick = process.argv.includes("--quick")
const ROUNDS = isQuick ? 3 : 8
const SLICE_SECONDS = isQuick ? 1 : 2

const start = (name) =>
  new Promise((resolve, reject) => {
    const child = fork(new URL(`./variants/${name}.mjs`, import.meta.url), {
      env: { ...process.env, NODE_ENV: "production" },
    })
    child.once("message", ({ port }) => resolve({ name, child, origin: `http://127.0.0.1:${port}`, slices: [] }))
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)))
  })

const usage = ({ child }) =>
  new Promise((resolve) => {
    child.once("message", resolve)
    child.send("usage")
  })

const cookieOf = (response) => response.headers.getSetCookie().map((text) => text.split(";")[0])

/** Signs in as a client of the variant does, and gives its cookies. */
async function signIn({ origin, name }) {
  if (name === "bare") return ""
  const csrf = await fetch(`${origin}/auth/csrf`)
  const { csrfToken } = await csrf.json()
  const cookies = cookieOf(csrf)
  const answer = await fetch(`${origin}/auth/callback/credentials`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: cookies.join("; "), "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ csrfToken, name: "x" }),
  })
  return [...cookies, ...cookieOf(answer)].join("; ")
}

/** A benchmark of something that does not work is worth nothing. */
async function requireSignedIn({ origin, name, cookie }) {
  const me = await fetch(`${origin}/me`, { headers: { cookie } })
  const body = await me.json()
  if (me.status !== 200 || body.name !== "Ada Lovelace") throw new Error(`${name} does not know its user: ${me.status}`)
  if (name === "bare") return
  const stranger = await fetch(`${origin}/me`)
  if (stranger.status !== 401) throw new Error(`${name} answers strangers with ${stranger.status}`)
}

async function runSlice(variant, path) {
  const before = await usage(variant)
  const result = await autocannon({
    url: variant.origin + path,
    connections: 20,
    duration: SLICE_SECONDS,
    headers: { cookie: variant.cookie },
  })
  const after = await usage(variant)
  const micros = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system
  const requests = result.requests.total
  if (result.non2xx > 0) throw new Error(`${variant.name} gave ${result.non2xx} other answers`)
  variant.slices.push({
    cpu: micros / requests,
    rate: requests / result.duration,
    p99: result.latency.p99,
    rss: after.rss,
  })
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]

async function measure(variants, path) {
  for (const variant of variants) variant.slices = []
  // The first round warms up and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const variant of variants) await runSlice(variant, path)
    if (round === 0) for (const variant of variants) variant.slices = []
  }
  const bare = median(variants[0].slices.map((slice) => slice.cpu))
  return variants.map(({ name, slices }) => ({
    variant: name,
    "req/s": Math.round(median(slices.map((slice) => slice.rate))),
    "CPU µs/req": Math.round(median(slices.map((slice) => slice.cpu))),
    "over bare µs": Math.round(median(slices.map((slice) => slice.cpu)) - bare),
    "p99 ms": median(slices.map((slice) => slice.p99)),
    "RSS MB": Math.round(median(slices.map((slice) => slice.rss)) / 1e6),
  }))
}

/** What latchkey may cost of what @auth/express costs, and a request with a hundred providers of one with a single one. */
const MOST = { ofAuthjs: 0.1, ofOneProvider: 1.1 }

function report(rows) {
  console.log("\nGET /me, signed in")
  console.table(rows)
  const [, authjs, latchkey, hundred] = rows
  const ofAuthjs = latchkey["over bare µs"] / authjs["over bare µs"]
  const ofOneProvider = hundred["CPU µs/req"] / latchkey["CPU µs/req"]
  console.log(`latchkey costs ${ofAuthjs.toFixed(3)} of what @auth/express costs over bare Express`)
  console.log(`a request with 100 providers costs ${ofOneProvider.toFixed(2)} of one with 1`)
  return { ofAuthjs, ofOneProvider }
}

/** A busy machine gets two more looks; the best of each ratio counts. */
async function holds(first) {
  const looks = [first]
  const isMet = (name) => Math.min(...looks.map((ratios) => ratios[name])) <= MOST[name]
  while (!Object.keys(MOST).every(isMet)) {
    if (looks.length === 3) return false
    looks.push(report(await measure(variants, "/me")))
  }
  return true
}

const variants = await Promise.all(VARIANTS.map(start))
for (const variant of variants) variant.cookie = await signIn(variant)
// Bare Express receives the same headers as the others.
variants[0].cookie = variants[2].cookie
for (const variant of variants) await requireSignedIn(variant)

console.log(`Node ${process.version}, ${ROUNDS} rounds of ${SLICE_SECONDS} s, medians`)
const me = await measure(variants, "/me")
const ratios = report(me)
if (!isQuick) {
  console.log("\nGET /public, the session not touched")
  console.table(await measure(variants, "/public"))
}
if (process.argv.includes("--check") && !(await holds(ratios))) {
  console.error(`more than ${MOST.ofAuthjs} of @auth/express, or than ${MOST.ofOneProvider} of one provider`)
  process.exitCode = 1
}
for (const { child } of variants) child.removeAllListeners("exit").kill()
