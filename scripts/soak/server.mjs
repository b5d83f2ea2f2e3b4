/**
 * The application under load: Express with the built package, once for each kind of session. It sends its ports to the
 * parent, and answers each message with its memory use after a garbage collection. Needs --expose-gc.
 *
 *   node --expose-gc server.mjs jwt sqlite postgres     short sessions, in a cookie and in databases
 *   node --expose-gc server.mjs lasting                 in a cookie, with the default lifetime
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import express from "express"
import { SqlAdapter } from "../../dist/adapters/sql.js"
import { authMiddleware, getSession } from "../../dist/index.js"
import { encode } from "../../dist/jwt.js"
import Credentials from "../../dist/providers/credentials.js"

const { TEST_POSTGRES_URL: postgresUrl = "postgres://postgres@127.0.0.1:5432/test", SOAK_FILL } = process.env

const SECRET = "a secret of more than thirty-two characters"
const COOKIE = "authjs.session-token"

/** Short enough that sessions are renewed, and that abandoned sessions are deleted. */
const SESSION = { maxAge: 60, updateAge: 1 }
const SWEEP_MS = 20_000

async function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-soak-"))
  return { adapter: SqlAdapter({ sqlite: join(folder, "auth.db") }), drop: () => rmSync(folder, { recursive: true }) }
}

async function postgres() {
  const { default: pg } = await import("pg")
  const schema = `latchkey_soak_${randomBytes(4).toString("hex")}`
  const admin = new pg.Client({ connectionString: postgresUrl })
  await admin.connect()
  await admin.query(`CREATE SCHEMA ${schema}`)
  const url = new URL(postgresUrl)
  url.searchParams.set("options", `-c search_path=${schema}`)
  const drop = async () => {
    await admin.query(`DROP SCHEMA ${schema} CASCADE`)
    await admin.end()
  }
  return { adapter: SqlAdapter({ postgres: url.href }), drop }
}

const STORES = { sqlite, postgres }

/** Accepts every user without a password. A database creates the user at the first visit. */
const signInBy = (userOf) =>
  Credentials({ credentials: { name: {} }, authorize: ({ name }) => userOf({ name, email: `${name}@example.com` }) })

const bySelf = signInBy((user) => ({ ...user, id: `id of ${user.name}` }))

const byStore = (adapter) =>
  signInBy(
    async (user) => (await adapter.getUserByEmail(user.email)) ?? adapter.createUser({ ...user, emailVerified: null }),
  )

/** Ignores the log entries of junk cookies, and prints other errors. */
const logger = {
  error: (error) => error.type === "JWTSessionError" || console.error(error),
  warn: () => {},
  debug: () => {},
}

function createApp(config) {
  const app = express()
  app.use(authMiddleware(config))
  app.get("/me", async (req, res) => {
    const session = await req.getSession()
    res.status(session ? 200 : 401).json({ name: session?.user?.name ?? null })
  })
  return app
}

/** More sessions than the caches of recently used sessions hold. */
const KEPT = 12_000

/** Fills the bounded caches at the start, because they would otherwise fill within hours and look like a leak. */
async function fill(config) {
  for (let number = 0; number < KEPT; number++) {
    const token = await encode({ token: { name: `person-${number}`, sub: `${number}` }, secret: SECRET, salt: COOKIE })
    const headers = { cookie: `${COOKIE}=${token}` }
    for (let look = 0; look < 3; look++) await getSession(new Request("http://127.0.0.1/", { headers }), config)
  }
}

async function openJwt(config) {
  const app = createApp(config)
  if (SOAK_FILL) await fill(config)
  return { app, close: () => {} }
}

async function open(kind) {
  const base = { secret: SECRET, trustHost: true, providers: [bySelf], logger, rateLimit: false, session: SESSION }
  if (kind === "lasting") return openJwt({ ...base, session: {} })
  if (kind === "jwt") return openJwt(base)
  const { adapter, drop } = await STORES[kind]()
  await adapter.migrate()
  const sweeping = setInterval(() => adapter.deleteExpired().catch(console.error), SWEEP_MS)
  const close = async () => {
    clearInterval(sweeping)
    await adapter.close()
    await drop()
  }
  const config = { ...base, adapter, providers: [byStore(adapter)], session: { ...SESSION, strategy: "database" } }
  return { app: createApp(config), close }
}

const listen = (app) =>
  new Promise((resolve) => {
    const server = app.listen(0, "127.0.0.1", () => resolve(server.address().port))
    // Otherwise a request could use a connection that is just being closed, and would count as an error.
    server.keepAliveTimeout = 0
  })

/** Collects twice with a pause, because the second pass frees what the first one finalises. */
async function memory() {
  globalThis.gc()
  await new Promise((resolve) => setTimeout(resolve, 50))
  globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { held: heapUsed + external, rss }
}

/** Without PostgreSQL it is skipped with a message; in continuous integration that is a failure. */
async function openIfThere(kind) {
  try {
    return [{ kind, ...(await open(kind)) }]
  } catch (error) {
    if (error.code !== "ECONNREFUSED" || process.env.CI) throw error
    console.error(`SKIPPED: ${kind} can't be reached`)
    return []
  }
}

const sites = []
for (const kind of process.argv.slice(2)) sites.push(...(await openIfThere(kind)))
const ports = await Promise.all(sites.map(async ({ kind, app }) => [kind, await listen(app)]))
process.send({ ports: Object.fromEntries(ports) })
process.on("message", async () => process.send(await memory()))
process.on("disconnect", async () => {
  await Promise.allSettled(sites.map(({ close }) => close()))
  process.exit()
})
