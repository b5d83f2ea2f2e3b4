/**
 * The application under load: Express on the built package, once for each kind of session. It says at which ports it
 * listens, and answers each question with what it holds once everything else has been collected. Needs --expose-gc.
 *
 *   node --expose-gc server.mjs jwt sqlite postgres     short sessions, in a cookie and in stores
 *   node --expose-gc server.mjs lasting                 in a cookie, as long as by default
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import express from "express"
import { SqlAdapter } from "../../dist/adapters/sql.js"
import { authMiddleware } from "../../dist/index.js"
import Credentials from "../../dist/providers/credentials.js"

const { TEST_POSTGRES_URL: postgresUrl = "postgres://postgres@127.0.0.1:5432/test" } = process.env

/** So short that sessions are renewed under way, and that those which nobody ended are swept. */
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

/** Whoever says who they are is believed; a store gets to know them at their first visit. */
const signInBy = (userOf) =>
  Credentials({ credentials: { name: {} }, authorize: ({ name }) => userOf({ name, email: `${name}@example.com` }) })

const bySelf = signInBy((user) => ({ ...user, id: `id of ${user.name}` }))

const byStore = (adapter) =>
  signInBy(
    async (user) => (await adapter.getUserByEmail(user.email)) ?? adapter.createUser({ ...user, emailVerified: null }),
  )

/** What is written of a junk cookie is no news; errors of the application's are. */
const logger = {
  error: (error) => error.type === "JWTSessionError" || console.error(error),
  warn: () => {},
  debug: () => {},
}

function createApp(config) {
  const app = express()
  app.use(authMiddleware({ secret: "a secret of more than thirty-two characters", trustHost: true, ...config }))
  app.get("/me", async (req, res) => {
    const session = await req.getSession()
    res.status(session ? 200 : 401).json({ name: session?.user?.name ?? null })
  })
  return app
}

async function open(kind) {
  const base = { providers: [bySelf], logger, rateLimit: false, session: SESSION }
  if (kind === "lasting") return { app: createApp({ ...base, session: {} }), close: () => {} }
  if (kind === "jwt") return { app: createApp(base), close: () => {} }
  const { adapter, drop } = await STORES[kind]()
  await adapter.migrate()
  const sweeping = setInterval(() => adapter.sweep().catch(console.error), SWEEP_MS)
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
  })

/** Twice, and with a pause: what the first pass finalises only the second takes away. */
async function memory() {
  globalThis.gc()
  await new Promise((resolve) => setTimeout(resolve, 50))
  globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { held: heapUsed + external, rss }
}

/** Where there is no PostgreSQL it is left out, aloud; in continuous integration that is a failure. */
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
