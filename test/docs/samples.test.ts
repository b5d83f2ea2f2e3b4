/**
 * Runs the documentation's samples that serve a site, on Express 4 and 5: a sign-in, a failing store, POSTs from another
 * origin and malformed values.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../examples/support/run-example.js"
import { until } from "../support/wait.js"
import { blocksOf, markdownFiles, read } from "./support/markdown.js"
import { blocksBelow, type Sample, toModule } from "./support/sample-module.js"
import { checkServed, type Expected } from "./support/sample-visitor.js"

const all: readonly Sample[] = markdownFiles()
  .filter((file) => /^(?:README|docs\/(?!providers)[^/]+)\.md$/.test(file))
  .flatMap((file) => blocksOf(read(file)).map((block) => ({ ...block, file })))
  .filter(({ language }) => /^[jt]s$/.test(language))

const formatName = ({ file, line }: Sample) => `${file}:${line}`

/** Samples that are not run here, by a text in them, with the test that runs them or the reason why none does. */
const EXCLUDED: Readonly<Record<string, string>> = {
  'import { Redis } from "ioredis"': "test/contracts/adapter-redis.test.ts",
  'import { createClient } from "redis"': "test/contracts/adapter-redis.test.ts",
  'from "latchkey/adapters/testing"': "test/contracts/adapter-contract.test.ts",
  'migrateSession(config, {\n    cookie: "connect.sid"': "test/examples/migrations.test.ts",
  "read: async (req) => {\n  const claims": "test/examples/migrations.test.ts",
  "import PostgresAdapter": "test/interop/adapters",
  "const log = pino()": "test/docs/logger.test.ts",
  "import { Auth } from": "test/flows, at the stage Auth()",
  'requirements: [{ name: "terms"': "test/examples/terms.test.ts",
  "req.pendingSignIn()": "test/examples/terms.test.ts",
  "class SecondFactorNeeded": "test/flows/credentials/credentials.test.ts",
  "scrypt as callbackScrypt": "test/docs/password-hashing.test.ts",
  "store: RedisStore(redis)": "test/contracts/store.test.ts",
  'from "latchkey/stores/testing"': "test/contracts/store.test.ts",
  "SqlAdapter({ mysql: pool })": "test/contracts/sql-options.test.ts",
  "adapter.pendingMigrations()": "test/contracts",
  'users: "auth.users"': "test/contracts/sql-options.test.ts",
  'SqlAdapter({ db: kysely, dialect: "postgres" })': "test/contracts",
  "adapter.transaction(async": "test/contracts",
  "await adapter.deleteExpired()": "test/contracts",
  'process.once("SIGTERM"': "test/faults/support/deployed.ts",
  "const dev = devProvider({\n  users": "test/testing",
  "dev.rotateKeys()": "test/testing",
  'from "@auth/express"': "test/interop",
  "getSession(req, config)\n": "test/express/get-session.test.ts",
  'fetch("/auth/csrf")': "a script of a page: test/flows has the same requests",
  'import { createServer } from "node:http"': "test/docs/express.test.ts",
  "export const { GET, POST } = authHandlers": "test/examples/frameworks.test.ts",
  "completeRequirement(c.req.raw": "test/flows/accounts/requirements.test.ts",
  "c.req.raw": "test/examples/frameworks.test.ts",
  '"https://slack.com/api/oauth.v2.access"': "test/flows/tokens/vendors.test.ts",
  "window.open(": "a script of a page: test/browser",
  "await req.getSession()": "test/express/get-session.test.ts",
  "await getToken({": "test/flows",
  "resetSecondFactor(": "test/flows/second-factor",
  'declare module "latchkey"': "only types",
  'from "latchkey/testing"\n\nconst agent = request.agent(app)': "test/examples/testing.test.ts",
  "await signInAs(": "test/examples/testing.test.ts",
  "await csrf(agent)": "test/testing",
  "const clock = frozenClock()\nconst app": "test/testing",
  'addEventListener("fetch"': "a service worker",
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  'basePath: "/account"': { base: "/account" },
  'app.use("/account", a': { base: "/account", guarded: "/account/me" },
  'trustHost: ["example.com", "*.example.com"]': { noSignIn: "the list lacks the host of the test" },
  "console.log(mail.text)": { noSignIn: "the link is printed" },
  "providers: [Passkey]": { noSignIn: "it requires an authenticator: test/browser" },
  "Passkey({": { noSignIn: "it requires an authenticator: test/browser" },
  'app.post("/account/email"': {
    posts: { "/account/email": { fields: { email: "new@example.com" }, status: 302 } },
  },
  'app.post("/account/name"': { posts: { "/account/name": { fields: {}, status: 302 } } },
  'app.post("/sign-out-everywhere"': { posts: { "/sign-out-everywhere": { fields: {}, status: 302 } } },
}

/** The entry of a table whose key occurs in the sample. */
const findEntry = <T>(table: Readonly<Record<string, T>>, { code }: Sample): T | undefined =>
  Object.entries(table).find(([text]) => code.includes(text))?.[1]

const served = all.filter((sample) => findEntry(EXCLUDED, sample) === undefined)

interface Running {
  readonly ports: readonly number[]
  readonly child: ChildProcess
  output(): string
}

async function serve(express: string, folder: string): Promise<Running> {
  const views = join(folder, "views")
  mkdirSync(views, { recursive: true })
  mkdirSync(join(folder, "auth-views"))
  writeFileSync(
    join(views, "login.ejs"),
    blocksBelow("docs/express.md", "### A sign-in page of your own")[1]?.code ?? "",
  )
  const files = served.map((sample) => join(folder, `${formatName(sample).replace(/\W/g, "-")}.mjs`))
  for (const [index, sample] of served.entries()) writeFileSync(files[index] ?? "", toModule(sample))
  const env = { ...process.env, NODE_ENV: "development", EXPRESS: express, VIEWS: views, ...ENVIRONMENT }
  const args = [join(__dirname, "support/sample-server.mjs"), ...files]
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
  let [output, errors] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
  const ports = () => /^\{.*\}$/m.exec(output)?.[0]
  await until(() => ports() !== undefined || child.exitCode !== null, 30_000)
  const text = ports()
  if (text === undefined) throw new Error(`the samples ended with ${child.exitCode}:\n${errors}`)
  const found: Record<string, number> = JSON.parse(text)
  return { child, ports: files.map((file) => found[file] ?? 0), output: () => errors }
}

const ENVIRONMENT: Readonly<Record<string, string>> = {
  AUTH_SECRET: "a secret for the samples alone, of forty-eight letters",
  NEW_SECRET: "the new secret of the samples, of forty-eight letters",
  OLD_SECRET: "the old secret of the samples, of forty-eight letters",
  AUTH_ACME_ID: "acme",
  AUTH_ACME_SECRET: "acme",
}

describe.each(["express", "express4"])("the documentation's samples with %s", (express) => {
  const folder = join(ROOT, `tmp/samples-${express}-${process.pid}`)
  let running: Running
  beforeAll(async () => {
    running = await serve(express, folder)
  })
  afterAll(() => {
    running?.child.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(served.map((sample, index) => [formatName(sample), index] as const))(
    "%s serves sign-ins, and handles foreign and malformed requests",
    async (_name, index) => {
      const { child, ports, output } = running
      const [sample, port] = [served[index], ports[index]]
      if (!sample || !port) throw new Error(`it did not start:\n${output()}`)
      const pages = [...sample.code.matchAll(/\bapp\.get\("([^"]+)"/g)].map(([, path = ""]) => path)
      await checkServed(`http://localhost:${port}`, findEntry(EXPECTED, sample) ?? {}, pages)
      expect(child.exitCode).toBeNull()
    },
  )
})

it.each(Object.keys(EXCLUDED))("the excluded sample exists: %j", (text) => {
  expect(all.filter(({ code }) => code.includes(text))).not.toEqual([])
})

it.each(Object.keys(EXPECTED))("the sample with expectations exists: %j", (text) => {
  expect(served.filter(({ code }) => code.includes(text))).not.toEqual([])
})
