import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createServer, request, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { join } from "node:path"
import express, { type Express } from "express"
import { SMTPServer } from "smtp-server"
import { authMiddleware } from "../../lib/express.js"
import { SELF_SIGNED } from "../flows/support/self-signed.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { type Listening, listen } from "../support/listen.js"
import { Project } from "./support/project.js"

const INSTALLED = ["cookie", "ejs", "jose", "oauth4webapi", "express", "kysely", "better-sqlite3", "nodemailer"]
const SECRET = "lfVCcC0mzr0lYbGXmYQ1t5vCIE0mBfKQ9rPyZQsVb8Qe"
const MAIL_PASSWORD = "the-mail-server's-password"

let project: Project
let good: FaultyProvider
let late: FaultyProvider
beforeAll(async () => {
  project = new Project(INSTALLED)
  good = await startFaultyProvider()
  late = await startFaultyProvider({ mode: { clockOffsetSeconds: -600 } })
})
afterAll(async () => {
  await Promise.all([good.close(), late.close()])
  project.remove()
})

const write = (file: string, text: string) => writeFileSync(join(project.folder, file), text)

interface Told {
  readonly group: string
  readonly code: string
  readonly level: string
  readonly subject: string
  readonly cause: string
  readonly seen?: string
  readonly write?: string
  readonly page?: string
}

async function doctor(args: readonly string[], env: Record<string, string> = {}) {
  const { code, out, err } = await project.latchkey(["doctor", "--json", ...args], { env })
  return { code, err, findings: JSON.parse(out) as Told[] }
}

const errorsIn = (findings: readonly Told[]) =>
  findings.filter(({ level }) => level === "error").map(({ code, subject }) => `${subject}: ${code}`)

describe("an application that is well", () => {
  let mails: SMTPServer
  let report: { code: number | null; out: string; err: string }
  let fresh: typeof report
  let left: readonly string[]
  beforeAll(async () => {
    mails = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      onAuth: ({ password }, _session, told) =>
        password === MAIL_PASSWORD ? told(null, { user: "me" }) : told(new Error("wrong")),
    })
    const { origin } = await listen(mails.server as unknown as Server)
    write(".env", `AUTH_SECRET=${SECRET}\nAUTH_OP_SECRET=${good.client.clientSecret}\n`)
    write(
      "server.mjs",
      `import { createServer } from "node:http"
import express from "express"
import { authMiddleware } from "latchkey"
import Nodemailer from "latchkey/providers/nodemailer"
import { SqlAdapter } from "latchkey/adapters/sql"

// A server of the application's own that it asks while it starts, as a provider for development is.
const beside = createServer((req, res) => res.end(req.headers.host))
await new Promise((done) => beside.listen(4322, done))
const { port } = beside.address()
const host = await (await fetch("http://localhost:" + port)).text()
if (host !== "localhost:4322") throw new Error("reached as " + host)

const adapter = SqlAdapter({ sqlite: "auth.db" })
await adapter.migrate()
const server = { host: "127.0.0.1", port: ${new URL(origin).port}, auth: { user: "me", pass: process.env.MAIL_PASSWORD } }
const app = express()
app.use("/account", authMiddleware({
  adapter,
  basePath: "/account",
  session: { strategy: "jwt" },
  providers: [
    { id: "op", name: "Provider", type: "oidc", issuer: "${good.issuer}", clientId: "${good.client.clientId}" },
    Nodemailer({ server, from: "Example <no-reply@example.com>" }),
  ],
  callbacks: { jwt: ({ token, account }) => (account ? { ...token, provider: account.provider } : token) },
}))
app.listen(4321, () => console.log("listening"))
`,
    )
    fresh = await project.latchkey(["doctor", "--offline"], { env: { MAIL_PASSWORD } })
    left = readdirSync(project.folder).filter((name) => name.startsWith("auth.db"))
    await project.latchkey(["migrate", "--sqlite", "auth.db"])
    report = await project.latchkey(["doctor", "--write-test"], { env: { MAIL_PASSWORD } })
  })
  afterAll(() => new Promise<void>((done) => mails.close(done)))

  it("makes no tables and no file in the application's name, and lists what it withheld", () => {
    expect(left).toEqual([])
    expect(fresh.out).toContain("skipped  adapter: the application's start would write: adapter.migrate(); withheld")
    expect(fresh.out).toContain("skipped  adapter: the application's start would write: the database auth.db; withheld")
    expect(fresh.out).toContain("error    adapter: the tables are missing, or of an earlier version")
    expect(fresh.code).toBe(1)
  })

  it("is told so, with an exit code of 0", () => {
    expect(report.err).toBe("")
    expect(report.out).not.toMatch(/^ {2}(?:error|warning)/m)
    expect(report.code).toBe(0)
    expect(report.out).toMatch(/^latchkey doctor looked at server\.mjs\n/)
    expect(report.out).toMatch(/^0 errors, 0 warnings, \d+ fine, 2 not looked at$/m)
  })

  it.each([
    "AUTH_SECRET: 44 characters that look random",
    "op: the provider knows this id and secret",
    "op: the clocks agree",
    "op: 2 keys",
    // The port is the one that the application asks for, the path the one that answers.
    "op: http://localhost:4321/account/callback/op",
    "/account: the sign-in answers there",
    "nodemailer: the mail server takes our name and password",
    "adapter: the tables are those of this version",
    "adapter: one row was written and deleted: of 20 uses at once, one got the token",
  ])("hears: %s", (line) => expect(report.out).toContain(`  ok       ${line}`))

  it("finds no secret in the report", () => {
    for (const secret of [SECRET, MAIL_PASSWORD, good.client.clientSecret]) expect(report.out).not.toContain(secret)
  })

  it("is as it was before: no row is left in the store, and nothing listens", async () => {
    const { out } = await project.node(`// One of the two runs on each version of Node.
const { DatabaseSync } = await import("node:sqlite").catch(() => ({}))
const Database = DatabaseSync ?? (await import("better-sqlite3")).default
const { left } = new Database("auth.db").prepare("SELECT count(*) AS left FROM verification_tokens").get()
console.log(left)`)
    expect(out).toBe("0\n")
    await expect(fetch("http://127.0.0.1:4321/account/csrf")).rejects.toThrow("fetch failed")
  })
})

it("takes a provider for development for a provider, and not for the application", async () => {
  write(
    "develops.mjs",
    `import express from "express"
import { authMiddleware } from "latchkey"
import { devProvider } from "latchkey/testing"
const dev = await devProvider({ port: 4321 }).listen()
express().use(authMiddleware({ providers: [dev] })).listen(4320)`,
  )
  const { code, findings } = await doctor(["develops.mjs"])
  expect(errorsIn(findings)).toEqual([])
  expect(code).toBe(0)
  expect(findings).toContainEqual(expect.objectContaining({ cause: "http://localhost:4320/auth/callback/dev" }))
  expect(findings).toContainEqual(
    expect.objectContaining({ cause: expect.stringContaining("127.0.0.1:4321 is the issuer") }),
  )
})

it("waits no longer for a server because the clock is set back meanwhile", async () => {
  write(
    "set-back.mjs",
    `import { authMiddleware } from "latchkey"
const { now } = Date
authMiddleware({ providers: [] })
setTimeout(() => { Date.now = () => now() - 60_000 }, 100)
setInterval(() => {}, 1_000)`,
  )
  const begun = performance.now()
  const { findings } = await doctor(["set-back.mjs", "--offline"], { AUTH_SECRET: SECRET })
  expect(findings.map(({ code }) => code)).toContain("no-providers")
  expect(performance.now() - begun).toBeLessThan(20_000)
})

it("tells nothing of a client secret that a function gives, however a provider repeats it", async () => {
  const clientSecret = "a secret/of-a vault"
  const base64 = Buffer.from(`our-client:${clientSecret}`).toString("base64")
  const echo = await listen(
    createServer((asked, answer) => {
      const sent = String(asked.headers.authorization).replace("Basic ", "")
      // So long that the last would be cut, if it were cut before it is masked.
      const error_description = ["-".repeat(100), clientSecret, encodeURIComponent(clientSecret), base64, sent].join(
        " | ",
      )
      answer.writeHead(401).end(JSON.stringify({ error: "invalid_client", error_description }))
    }),
  )
  write(
    "vault.mjs",
    `const place = "${echo.origin}"
const echo = { id: "echo", name: "Echo", type: "oauth", authorization: place + "/authorize", token: place + "/token", userinfo: place + "/me" }
const options = { clientId: "our-client", clientSecret: async () => "${clientSecret}" }
export default { providers: [{ ...echo, ...options }, { ...echo, id: "factory", options }] }`,
  )
  const { findings } = await doctor(["vault.mjs"], { AUTH_SECRET: SECRET })
  await echo.close()
  const seen = findings.filter(({ code }) => code === "client-refused").map(({ seen }) => seen)
  expect(seen).toEqual(Array(2).fill(`status 401, invalid_client: ${"-".repeat(100)} | *** | *** | *** | ***`))
})

it("sends a client secret to no other host than the issuer's, and takes no NODE_OPTIONS from .env", async () => {
  const asked: string[] = []
  const other = await listen(
    createServer((req, res) => {
      asked.push(req.url ?? "")
      res.writeHead(400).end("{}")
    }),
  )
  const issuer = await listen(
    createServer((_req, res) => {
      const elsewhere = other.origin.replace("127.0.0.1", "localhost")
      const endpoints = { authorization_endpoint: `${issuer.origin}/authorize`, jwks_uri: `${issuer.origin}/jwks` }
      const metadata = { issuer: issuer.origin, ...endpoints, token_endpoint: `${elsewhere}/token`, keys: [] }
      res.setHeader("Content-Type", "application/json")
      res.end(JSON.stringify({ ...metadata, response_types_supported: ["code"] }))
    }),
  )
  mkdirSync(join(project.folder, "elsewhere"))
  write("elsewhere/preload.cjs", `require("node:fs").writeFileSync("preloaded", "")`)
  write("elsewhere/.env", `NODE_OPTIONS=--require=./preload.cjs\nAUTH_SECRET=${SECRET}\n`)
  write(
    "elsewhere/auth.mjs",
    `export default { providers: [{ id: "op", name: "OP", type: "oidc", issuer: "${issuer.origin}", clientId: "shop", clientSecret: "a-secret-of-the-shop" }] }`,
  )
  const { out } = await project.latchkey(["doctor", "auth.mjs", "--json"], { in: "elsewhere" })
  const findings = JSON.parse(out) as Told[]
  expect(findings.find(({ code }) => code === "client-refused")).toMatchObject({
    level: "skipped",
    cause: expect.stringContaining("the secret was not sent there"),
  })
  expect(asked).toEqual([])
  expect(readdirSync(join(project.folder, "elsewhere")).sort()).toEqual([".env", "auth.mjs", "preload.cjs"])
  await Promise.all([issuer.close(), other.close()])
})

describe("an application that is ill", () => {
  const GUESSABLE = "secretsecretsecretsecretsecretsecret"
  let told: Awaited<ReturnType<typeof doctor>>
  beforeAll(async () => {
    write(
      "auth.js",
      `const { MemoryAdapter } = require("latchkey/adapters/memory")
const op = { type: "oidc", clientId: "${good.client.clientId}", clientSecret: "${good.client.clientSecret}" }
const links = new Map()
module.exports = {
  trustHost: true,
  adapter: {
    ...MemoryAdapter(),
    createVerificationToken: async (link) => void links.set(link.token, link),
    // Read first, deleted later: who asks meanwhile gets it too.
    async useVerificationToken({ token }) {
      const link = links.get(token) ?? null
      await new Promise((done) => setTimeout(done, 5))
      links.delete(token)
      return link
    },
  },
  session: { strategy: "jwt" },
  rateLimit: false,
  providers: [
    { ...op, id: "path", name: "Wrong path", issuer: "${good.issuer}/tenant" },
    { ...op, id: "late", name: "Late", issuer: "${late.issuer}", clientId: "${late.client.clientId}", clientSecret: "${late.client.clientSecret}" },
    { ...op, id: "stranger", name: "Stranger", issuer: "${good.issuer}", clientSecret: "an-expired-secret" },
    { ...op, id: "away", name: "Away", issuer: "http://127.0.0.1:9" },
    { ...op, id: "blank", name: "Blank", issuer: "${good.issuer}", clientSecret: "${good.client.clientSecret} " },
    { ...op, id: "other", name: "Other", issuer: "${good.issuer.replace("127.0.0.1", "localhost")}" },
    { id: "password", name: "Password", type: "credentials", credentials: {}, authorize: () => null },
  ],
  callbacks: { jwt: ({ token }) => ({ ...token, roles: require("node:crypto").randomBytes(5000).toString("hex") }) },
}
`,
    )
    told = await doctor(["auth.js", "--write-test"], {
      NODE_ENV: "production",
      AUTH_URL: "http://example.com",
      AUTH_SECRET: GUESSABLE,
    })
  })

  it.each([
    ["AUTH_SECRET", "secret-guessable"],
    ["path", "discovery-failed"],
    ["late", "clock-skew"],
    ["stranger", "client-refused"],
    ["away", "provider-unreachable"],
    ["blank", "credential-malformed"],
    ["other", "issuer-mismatch"],
    ["AUTH_URL", "https-missing"],
    ["callbacks.jwt (late)", "session-too-large"],
    ["adapter", "token-use-not-atomic"],
  ])("hears of %s: %s", (subject, code) => expect(errorsIn(told.findings)).toContain(`${subject}: ${code}`))

  it("gets for each what was seen or what to write, and its page, and an exit code of 1", () => {
    expect(told.code).toBe(1)
    const troubles = told.findings.filter(({ level }) => level === "error" || level === "warning")
    expect(troubles.map(({ code }) => code)).toContain("rate-limit-off")
    for (const { code, seen, write, page } of troubles) {
      expect(seen ?? write).toBeTruthy()
      expect(page).toBe(`docs/errors/${code}.md`)
    }
  })

  it("is told how far the clock is off, and which issuer answered", () => {
    const find = (code: string) => told.findings.find((finding) => finding.code === code && finding.level === "error")
    expect(find("clock-skew")?.seen).toMatch(/^its clock is (?:599|60[01]) s behind/)
    expect(find("issuer-mismatch")?.write).toBe(`issuer: "${good.issuer}"`)
    expect(find("session-too-large")?.seen).toMatch(/session\.maxCookieSize is 7168/)
  })

  it("finds no secret among them", () => {
    const text = JSON.stringify(told.findings)
    for (const secret of [GUESSABLE, good.client.clientSecret, late.client.clientSecret, "an-expired-secret"])
      expect(text).not.toContain(secret)
  })
})

describe("tables that were never made, and a package that is too old", () => {
  it("are told with the lines to write", async () => {
    write(
      "tables.mjs",
      `import { SqlAdapter } from "latchkey/adapters/sql"
import Nodemailer from "latchkey/providers/nodemailer"
export const authConfig = {
  adapter: SqlAdapter({ sqlite: "empty.db" }),
  providers: [Nodemailer({ server: "smtp://me:${MAIL_PASSWORD.replace("'", "%27")}@127.0.0.1:9", from: "a@example.com" })],
}`,
    )
    const old = join(project.folder, "app")
    mkdirSync(join(old, "node_modules", "nodemailer"), { recursive: true })
    writeFileSync(
      join(old, "node_modules", "nodemailer", "package.json"),
      `{ "name": "nodemailer", "version": "6.9.16" }`,
    )
    const { code, out } = await project.latchkey(["doctor", "../tables.mjs", "--json", "--env-file", "../.env"], {
      in: "app",
    })
    const findings = JSON.parse(out) as Told[]
    expect(code).toBe(1)
    expect(errorsIn(findings)).toEqual([
      "adapter: schema-outdated",
      "nodemailer: mail-server-unreachable",
      "nodemailer: package-outdated",
    ])
    expect(findings.find((finding) => finding.code === "package-outdated")).toMatchObject({
      level: "error",
      write: 'npm install "nodemailer@^7.0.7 || ^8.0.0 || ^9.0.0 || ^10.0.0"',
    })
    expect(out).not.toContain("server's-password")
  })
})

describe("a site behind a proxy that ends TLS", () => {
  const closing: Listening[] = []
  const start = async (server: Server) => {
    const listening = await listen(server)
    closing.push(listening)
    return listening.origin
  }
  afterAll(() => Promise.all(closing.map(({ close }) => close())))

  /** A proxy as it is found in front of applications; one that believes visitors leaves their headers as they are. */
  async function proxyTo(app: Express, { believesVisitors = false, strips = "" } = {}): Promise<string> {
    const { port } = new URL(await start(createServer(app)))
    const proxy = createTlsServer(SELF_SIGNED, (req, res) => {
      const own = { "x-forwarded-proto": "https", "x-forwarded-host": req.headers.host }
      const headers = believesVisitors ? { ...own, ...req.headers } : { ...req.headers, ...own }
      const passed = request({ port, path: req.url, method: req.method, headers }, (answer) => {
        const { [strips]: _, ...left } = answer.headers
        res.writeHead(answer.statusCode ?? 502, left)
        answer.pipe(res)
      })
      req.pipe(passed)
    })
    return (await start(proxy as unknown as Server)).replace("http:", "https:")
  }

  function application(trust: unknown): Express {
    const app = express()
    app.set("trust proxy", trust)
    return app.use(authMiddleware({ secret: SECRET, providers: [good.oidc()], logger: { warn() {} } }))
  }

  async function look(url: string) {
    write("authority.pem", SELF_SIGNED.cert)
    write(
      "site.cjs",
      `const { authMiddleware } = require("latchkey")
exports.middleware = authMiddleware({ providers: [{ id: "oidc", name: "OP", type: "oidc", issuer: "${good.issuer}", clientId: "an-id", clientSecret: "a-secret" }] })`,
    )
    const { findings } = await doctor(["site.cjs", "--url", url], {
      AUTH_SECRET: SECRET,
      NODE_EXTRA_CA_CERTS: join(project.folder, "authority.pem"),
    })
    return findings.filter(({ group }) => group === "The running site")
  }

  it("hears which line is missing when the application does not trust it", async () => {
    const findings = await look(await proxyTo(application(false)))
    expect(errorsIn(findings).map((line) => line.replace(/^.*: /, ""))).toEqual([
      "untrusted-proxy",
      "cookie-not-secure",
      "cookie-not-secure",
    ])
    expect(findings[0]?.write).toContain('app.set("trust proxy", 1)')
  })

  it("is well when it does", async () => {
    const findings = await look(await proxyTo(application(1)))
    expect(errorsIn(findings)).toEqual([])
    expect(findings.map(({ code }) => code)).toEqual([
      "wrong-origin",
      "forwarded-believed",
      "http-served",
      "cookie-refused",
      "session-cached",
      "clock-skew",
    ])
  })

  it("hears when visitors can say where the site is, and when the session may be kept on the way", async () => {
    const url = await proxyTo(application(true), { believesVisitors: true, strips: "cache-control" })
    expect(errorsIn(await look(url)).map((line) => line.replace(/^.*: /, ""))).toEqual([
      "forwarded-believed",
      "cache-control-stripped",
    ])
  })
})

describe("a configuration that can't be had", () => {
  it.each([
    [
      "throws.mjs",
      `throw new Error("no database at postgres://me:hidden-word@db.example.com/app")`,
      "module-failed",
      /no database at postgres:\/\/me:\*\*\*@db/,
    ],
    ["ends.mjs", `process.exit(3)`, "module-failed", /ended the process/],
    ["nothing.mjs", `export const other = {}`, "config-not-found", /nothing\.mjs/],
  ])("%s: says why", async (file, text, code, seen) => {
    write(file, text)
    const { code: exit, findings } = await doctor([file], {
      DATABASE_URL: "postgres://me:hidden-word@db.example.com/app",
    })
    expect(exit).toBe(1)
    expect(findings).toMatchObject([{ level: "error", code, seen: expect.stringMatching(seen) }])
  })

  it("can't be read: says why at once", async () => {
    write("falls.mjs", `export default { providers: [], get clock() { throw new Error("no clock here") } }`)
    const { code, err } = await project.latchkey(["doctor", "falls.mjs"])
    expect(code).toBe(1)
    expect(err).toContain("the configuration can't be read: no clock here")
  })

  it("brings its process down with it, and no secret of what it wrote is told", async () => {
    write("aborts.mjs", `console.log("with", process.env.AUTH_SECRET); process.kill(process.pid, "SIGKILL")`)
    const AUTH_SECRET = "a-word-that-nobody-is-to-read-anywhere"
    const { code, err } = await project.latchkey(["doctor", "aborts.mjs"], { env: { AUTH_SECRET } })
    expect(code).toBe(1)
    expect(err).toContain("the application ended with null: with ***")
    expect(err).not.toContain(AUTH_SECRET)
  })

  it("is TypeScript, and loaded where Node.js can; else it says what to install", async () => {
    write(
      "typed.ts",
      `const providers: object[] = []\nexport const authConfig: { providers: object[] } = { providers }`,
    )
    const { findings } = await doctor(["typed.ts", "--offline"], { AUTH_SECRET: SECRET })
    if (Reflect.get(process.features, "typescript")) expect(findings.map(({ code }) => code)).toContain("no-providers")
    else
      expect(findings).toMatchObject([
        { code: "module-failed", write: expect.stringContaining("npm install --save-dev tsx") },
      ])
  })

  it.each([
    [["no-such-file.js"], 'there is no file "no-such-file.js"'],
    [["--url", "example.com"], '--url is "example.com", which is no address of a site: --url https://example.com'],
  ])("%j is wrong usage", async (args, message) =>
    expect(await project.latchkey(["doctor", ...args])).toEqual({ code: 2, out: "", err: `latchkey: ${message}\n` }),
  )

  it("is refused an env file that is not there", async () => {
    // Node.js 20 takes the option for its own, wherever it stands, and is the first to say so.
    const { code, err } = await project.latchkey(["doctor", "--env-file", "no.env"])
    expect(code).toBeGreaterThan(1)
    expect(err).toContain("no.env")
  })
})
