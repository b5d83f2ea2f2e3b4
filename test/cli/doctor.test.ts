import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, request, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { join } from "node:path"
import express, { type Express } from "express"
import { SMTPServer } from "smtp-server"
import { authMiddleware } from "../../lib/express/middleware.js"
import { SELF_SIGNED } from "../flows/support/self-signed.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { type Listening, listen } from "../support/listen.js"
import { Project } from "./support/project.js"

const INSTALLED = ["express", "kysely", "better-sqlite3", "nodemailer"]
const SECRET = "lfVCcC0mzr0lYbGXmYQ1t5vCIE0mBfKQ9rPyZQsVb8Qe"
const MAIL_PASSWORD = "the-mail-server's-password"

let project: Project
let provider: FaultyProvider
let lateProvider: FaultyProvider
beforeAll(async () => {
  project = new Project(INSTALLED)
  provider = await startFaultyProvider()
  lateProvider = await startFaultyProvider({ mode: { clockOffsetSeconds: -600 } })
})
afterAll(async () => {
  await Promise.all([provider.close(), lateProvider.close()])
  project.remove()
})

const write = (file: string, text: string) => writeFileSync(join(project.folder, file), text)

interface Finding {
  readonly group: string
  readonly code: string
  readonly level: string
  readonly subject: string
  readonly cause: string
  readonly seen?: string
  readonly fix?: string
  readonly page?: string
}

async function doctor(args: readonly string[], env: Record<string, string> = {}) {
  const { code, out, err } = await project.latchkey(["doctor", "--json", ...args], { env })
  return { code, err, findings: JSON.parse(out) as Finding[] }
}

const errorsIn = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level === "error").map(({ code, subject }) => `${subject}: ${code}`)

describe("a valid configuration", () => {
  let mails: SMTPServer
  let report: { code: number | null; out: string; err: string }
  let firstReport: typeof report
  let createdFiles: readonly string[]
  let offlineReport: typeof report
  let isUnchanged: boolean
  /** The database with its write-ahead log, which contains the newest writes. */
  const database = () =>
    Buffer.concat(
      ["auth.db", "auth.db-wal"]
        .map((name) => join(project.folder, name))
        .filter((file) => existsSync(file))
        .map((file) => readFileSync(file)),
    )
  beforeAll(async () => {
    mails = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      onAuth: ({ password }, _session, report) =>
        password === MAIL_PASSWORD ? report(null, { user: "me" }) : report(new Error("wrong")),
    })
    const { origin } = await listen(mails.server as unknown as Server)
    write(".env", `AUTH_SECRET=${SECRET}\nAUTH_OP_SECRET=${provider.client.clientSecret}\n`)
    write(
      "auth.mjs",
      `import Nodemailer from "latchkey/providers/nodemailer"
import { SqlAdapter } from "latchkey/adapters/sql"

const adapter = SqlAdapter({ sqlite: "auth.db" })
await adapter.migrate()
const server = { host: "127.0.0.1", port: ${new URL(origin).port}, auth: { user: "me", pass: process.env.MAIL_PASSWORD } }
export const authConfig = {
  adapter,
  basePath: "/account",
  session: { strategy: "jwt" },
  providers: [
    { id: "op", name: "Provider", type: "oidc", issuer: "${provider.issuer}", clientId: "${provider.client.clientId}" },
    Nodemailer({ server, from: "Example <no-reply@example.com>" }),
  ],
  callbacks: { jwt: ({ token, account }) => (account ? { ...token, provider: account.provider } : token) },
}
`,
    )
    const env = { MAIL_PASSWORD, PORT: "4321" }
    firstReport = await project.latchkey(["doctor", "--offline"], { env })
    createdFiles = readdirSync(project.folder).filter((name) => name.startsWith("auth.db"))
    await project.latchkey(["migrate", "--sqlite", "auth.db"])
    const before = database()
    offlineReport = await project.latchkey(["doctor", "--offline"], { env })
    isUnchanged = database().equals(before)
    report = await project.latchkey(["doctor", "--write-test"], { env })
  })
  afterAll(() => new Promise<void>((done) => mails.close(done)))

  it("creates no tables and no files during the checks, and lists the suppressed writes", () => {
    expect(createdFiles).toEqual([])
    expect(firstReport.out).toContain("skipped  adapter: a write of the module was suppressed: adapter.migrate()")
    expect(firstReport.out).toContain("error    adapter: The tables are missing or outdated")
    expect(firstReport.code).toBe(1)
  })

  it("writes nothing to the tables without --write-test, and reports that", () => {
    expect(isUnchanged).toBe(true)
    expect(offlineReport.out).toContain(
      "skipped  adapter: nothing was written; --write-test writes one row and deletes it",
    )
  })

  it("gets a report without errors and exit code 0", () => {
    expect(report.err).toBe("")
    expect(report.out).not.toMatch(/^ {2}(?:error|warning)/m)
    expect(report.code).toBe(0)
    expect(report.out).toMatch(/^latchkey doctor checked auth\.mjs\n/)
    expect(report.out).toMatch(/^0 errors, 0 warnings, \d+ ok, 2 skipped$/m)
  })

  it.each([
    "AUTH_SECRET: 44 characters that look random",
    "op: the provider accepts this id and secret",
    "op: the clocks agree",
    "op: 2 keys",
    "op: http://localhost:4321/account/callback/op",
    "op: logout at the provider: end_session_endpoint no, backchannel_logout_supported no, backchannel_logout_session_supported no",
    "op: http://localhost:4321/account/backchannel-logout/op as back-channel logout URI, with session required",
    "nodemailer: the email server accepts the name and password",
    "adapter: the tables are up to date",
    "adapter: one row was written and deleted: of 20 concurrent uses, one got the token",
  ])("is reported as %s", (line) => expect(report.out).toContain(`  ok       ${line}`))

  it("has no secret in its report", () => {
    for (const secret of [SECRET, MAIL_PASSWORD, provider.client.clientSecret]) expect(report.out).not.toContain(secret)
  })

  it("has no row left in its store", async () => {
    const { out } = await project.node(`// One of the two runs on each version of Node.
const { DatabaseSync } = await import("node:sqlite").catch(() => ({}))
const Database = DatabaseSync ?? (await import("better-sqlite3")).default
const { left } = new Database("auth.db").prepare("SELECT count(*) AS left FROM verification_tokens").get()
console.log(left)`)
    expect(out).toBe("0\n")
  })
})

it("a development provider is started by the check", async () => {
  write(
    "develops.mjs",
    `import { devProvider } from "latchkey/testing"
export const authConfig = { providers: [devProvider({ port: 4321 })] }`,
  )
  const { code, findings } = await doctor(["develops.mjs"])
  expect(errorsIn(findings)).toEqual([])
  expect(code).toBe(0)
  expect(findings).toContainEqual(expect.objectContaining({ cause: "http://localhost:3000/auth/callback/dev" }))
  expect(findings).toContainEqual(
    expect.objectContaining({ cause: expect.stringContaining("127.0.0.1:4321 is the configured issuer") }),
  )
})

it("a provider's support for logout and the addresses to register are listed", async () => {
  const supported = await startFaultyProvider({
    mode: {
      discovery: (document) => ({
        ...document,
        ...{ end_session_endpoint: "https://op.test/end", backchannel_logout_supported: true },
      }),
    },
  })
  write(
    "logout.mjs",
    `import { MemoryStore } from "latchkey/stores/memory"
const client = { type: "oidc", name: "OP", clientId: "a", clientSecret: "b" }
export default {
  store: MemoryStore(),
  providers: [
    { ...client, id: "able", issuer: "${supported.issuer}", logout: true },
    { ...client, id: "proxied", issuer: "${supported.issuer}", logout: true, redirectProxyUrl: "https://proxy.test/auth/" },
    { ...client, id: "unable", issuer: "${provider.issuer}", logout: true },
    { ...client, id: "explicit", issuer: "${provider.issuer}", logout: "https://op.test/end" },
    { ...client, id: "off", issuer: "${provider.issuer}" },
  ],
}`,
  )
  const { findings } = await doctor(["logout.mjs"], { AUTH_SECRET: SECRET, AUTH_URL: "https://shop.test/auth" })
  await supported.close()
  expect(errorsIn(findings).filter((line) => line.includes("logout"))).toEqual(["unable: logout-endpoint-missing"])
  expect(findings.find(({ code, level }) => code === "logout-endpoint-missing" && level === "error")).toMatchObject({
    seen: "no end_session_endpoint in the metadata",
    page: "docs/errors/logout-endpoint-missing.md",
  })
  const support = findings.filter(({ code, level }) => code === "logout-endpoint-missing" && level === "ok")
  const has = (endpoint: string, backChannel: string) =>
    `logout at the provider: end_session_endpoint ${endpoint}, backchannel_logout_supported ${backChannel}, backchannel_logout_session_supported no`
  expect(support.map(({ subject, cause }) => [subject, cause])).toEqual([
    ["able", has("yes", "yes")],
    ["proxied", has("yes", "yes")],
    ["explicit", has("no", "no")],
    ["off", has("no", "no")],
  ])
  const listed = findings.filter(({ group }) => group === "Logout URIs to register")
  expect(listed.map(({ level, cause }) => `${level} ${cause}`)).toEqual([
    "ok https://shop.test/auth/post-logout/able as post-logout redirect URI",
    "ok https://shop.test/auth/backchannel-logout/able as back-channel logout URI, with session required",
    "ok https://proxy.test/auth/post-logout/proxied as post-logout redirect URI",
    "ok https://shop.test/auth/backchannel-logout/proxied as back-channel logout URI, with session required",
    "ok https://shop.test/auth/post-logout/unable as post-logout redirect URI",
    "ok https://shop.test/auth/backchannel-logout/unable as back-channel logout URI, with session required",
    "ok https://shop.test/auth/post-logout/explicit as post-logout redirect URI",
    "ok https://shop.test/auth/backchannel-logout/explicit as back-channel logout URI, with session required",
    "ok https://shop.test/auth/backchannel-logout/off as back-channel logout URI, with session required",
  ])
})

it("a client secret from a function is masked in any encoding that a provider returns", async () => {
  const clientSecret = "a secret/of-a vault"
  const base64 = Buffer.from(`our-client:${clientSecret}`).toString("base64")
  const echo = await listen(
    createServer((asked, answer) => {
      const sent = String(asked.headers.authorization).replace("Basic ", "")
      // Long enough that the last one would be truncated if truncation came before masking.
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

it("a client secret is sent only to the issuer's host, and NODE_OPTIONS in .env has no effect", async () => {
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
  const findings = JSON.parse(out) as Finding[]
  expect(findings.find(({ code }) => code === "client-refused")).toMatchObject({
    level: "skipped",
    cause: expect.stringContaining("the secret was not sent there"),
  })
  expect(asked).toEqual([])
  expect(readdirSync(join(project.folder, "elsewhere")).sort()).toEqual([".env", "auth.mjs", "preload.cjs"])
  await Promise.all([issuer.close(), other.close()])
})

describe("a configuration with problems", () => {
  const GUESSABLE = "secretsecretsecretsecretsecretsecret"
  let report: Awaited<ReturnType<typeof doctor>>
  beforeAll(async () => {
    write(
      "auth.js",
      `const { MemoryAdapter } = require("latchkey/adapters/memory")
const op = { type: "oidc", clientId: "${provider.client.clientId}", clientSecret: "${provider.client.clientSecret}" }
const links = new Map()
module.exports = {
  trustHost: true,
  adapter: {
    ...MemoryAdapter(),
    createVerificationToken: async (link) => void links.set(link.token, link),
    // Reads first and deletes later, so concurrent callers get the same token.
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
    { ...op, id: "path", name: "Wrong path", issuer: "${provider.issuer}/tenant" },
    { ...op, id: "late", name: "Late", issuer: "${lateProvider.issuer}", clientId: "${lateProvider.client.clientId}", clientSecret: "${lateProvider.client.clientSecret}" },
    { ...op, id: "stranger", name: "Stranger", issuer: "${provider.issuer}", clientSecret: "an-expired-secret" },
    { ...op, id: "away", name: "Away", issuer: "http://127.0.0.1:9" },
    { ...op, id: "blank", name: "Blank", issuer: "${provider.issuer}", clientSecret: "${provider.client.clientSecret} " },
    { ...op, id: "other", name: "Other", issuer: "${provider.issuer.replace("127.0.0.1", "localhost")}" },
    { id: "password", name: "Password", type: "credentials", credentials: {}, authorize: () => null },
  ],
  callbacks: { jwt: ({ token }) => ({ ...token, roles: require("node:crypto").randomBytes(5000).toString("hex") }) },
}
`,
    )
    report = await doctor(["auth.js", "--write-test"], {
      NODE_ENV: "production",
      AUTH_URL: "http://example.com",
      AUTH_SECRET: GUESSABLE,
    })
  })

  it.each([
    ["AUTH_SECRET", "secret-guessable"],
    ["path", "provider-unreachable"],
    ["late", "clock-skew"],
    ["stranger", "client-refused"],
    ["away", "provider-unreachable"],
    ["blank", "credential-malformed"],
    ["other", "issuer-mismatch"],
    ["AUTH_URL", "https-missing"],
    ["callbacks.jwt (late)", "session-too-large"],
    ["adapter", "token-use-not-atomic"],
  ])("is reported for %s: %s", (subject, code) => expect(errorsIn(report.findings)).toContain(`${subject}: ${code}`))

  it("are reported with an observation or a fix, a page, and exit code 1", () => {
    expect(report.code).toBe(1)
    const troubles = report.findings.filter(({ level }) => level === "error" || level === "warning")
    expect(troubles.map(({ code }) => code)).toContain("rate-limit-off")
    for (const { code, seen, fix, page } of troubles) {
      expect(seen ?? fix).toBeTruthy()
      expect(page).toBe(`docs/errors/${code}.md`)
    }
  })

  it("include the clock difference and the issuer that responded", () => {
    const find = (code: string) => report.findings.find((finding) => finding.code === code && finding.level === "error")
    expect(find("clock-skew")?.seen).toMatch(/^its clock is (?:599|60[01]) s behind/)
    expect(find("issuer-mismatch")?.fix).toBe(`issuer: "${provider.issuer}"`)
    expect(find("session-too-large")?.seen).toMatch(/session\.maxCookieSize is 7168/)
  })

  it("contain no secret", () => {
    const text = JSON.stringify(report.findings)
    for (const secret of [
      GUESSABLE,
      provider.client.clientSecret,
      lateProvider.client.clientSecret,
      "an-expired-secret",
    ])
      expect(text).not.toContain(secret)
  })
})

describe("missing tables and an outdated package", () => {
  it("are reported with their fixes", async () => {
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
    const findings = JSON.parse(out) as Finding[]
    expect(code).toBe(1)
    expect(errorsIn(findings)).toEqual([
      "adapter: schema-outdated",
      "nodemailer: mail-server-unreachable",
      "nodemailer: package-outdated",
    ])
    expect(findings.find((finding) => finding.code === "package-outdated")).toMatchObject({
      level: "error",
      fix: 'npm install "nodemailer@^7.0.7 || ^8.0.0 || ^9.0.0 || ^10.0.0"',
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

  /** A proxy as it is common in front of applications. With `trustsVisitors`, it keeps the headers of visitors. */
  async function proxyTo(app: Express, { trustsVisitors = false, strips = "" } = {}): Promise<string> {
    const { port } = new URL(await start(createServer(app)))
    const proxy = createTlsServer(SELF_SIGNED, (req, res) => {
      const own = { "x-forwarded-proto": "https", "x-forwarded-host": req.headers.host }
      const headers = trustsVisitors ? { ...own, ...req.headers } : { ...req.headers, ...own }
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
    return app.use(authMiddleware({ secret: SECRET, providers: [provider.oidc()], logger: { warn() {} } }))
  }

  async function checkSite(url: string) {
    write("authority.pem", SELF_SIGNED.cert)
    write(
      "site.cjs",
      `exports.authConfig = { providers: [{ id: "oidc", name: "OP", type: "oidc", issuer: "${provider.issuer}", clientId: "an-id", clientSecret: "a-secret" }] }`,
    )
    const { findings } = await doctor(["site.cjs", "--url", url], {
      AUTH_SECRET: SECRET,
      NODE_EXTRA_CA_CERTS: join(project.folder, "authority.pem"),
    })
    return findings.filter(({ group }) => group === "The running site")
  }

  it("is reported with the missing line if the application does not trust the proxy", async () => {
    const findings = await checkSite(await proxyTo(application(false)))
    expect(errorsIn(findings).map((line) => line.replace(/^.*: /, ""))).toEqual([
      "untrusted-proxy",
      "cookie-not-secure",
      "cookie-not-secure",
    ])
    expect(findings[0]?.fix).toContain('app.set("trust proxy", 1)')
  })

  it("passes all checks if the application trusts the proxy", async () => {
    const findings = await checkSite(await proxyTo(application(1)))
    expect(errorsIn(findings)).toEqual([])
    expect(findings.map(({ code }) => code)).toEqual([
      "wrong-origin",
      "forwarded-headers-trusted",
      "http-served",
      "cookie-refused",
      "session-cached",
      "clock-skew",
    ])
  })

  it("is reported if visitors can set the host, and if a cache may store the session", async () => {
    const url = await proxyTo(application(true), { trustsVisitors: true, strips: "cache-control" })
    expect(errorsIn(await checkSite(url)).map((line) => line.replace(/^.*: /, ""))).toEqual([
      "forwarded-headers-trusted",
      "cache-control-stripped",
    ])
  })
})

describe("the module of the configuration", () => {
  it.each([
    ["default.mjs", "export default { providers: [] }"],
    ["named.mjs", "export const authConfig = { providers: [] }"],
    ["short.mjs", "export const config = { providers: [] }"],
    ["whole.cjs", "module.exports = { providers: [] }"],
    ["named.cjs", "module.exports = { authConfig: { providers: [] }, other: 1 }"],
    [
      "compiled.cjs",
      `Object.defineProperty(exports, "__esModule", { value: true })\nexports.default = { providers: [] }`,
    ],
  ])("%s is loaded: %s", async (file, text) => {
    write(file, text)
    const { findings } = await doctor([file, "--offline"], { AUTH_SECRET: SECRET })
    expect(findings.map(({ code }) => code)).toContain("no-providers")
  })

  it("is found at the usual places", async () => {
    mkdirSync(join(project.folder, "placed/src"), { recursive: true })
    const run = () => project.latchkey(["doctor", "--offline"], { in: "placed", env: { AUTH_SECRET: SECRET } })
    const missing = await run()
    expect(missing).toMatchObject({ code: 1, err: "" })
    expect(missing.out).toContain("seen   none of the files auth, auth.config, src/auth")
    expect(missing.out).toContain("app.use(authMiddleware(authConfig))")
    write("placed/src/auth.config.cjs", "module.exports = { providers: [] }")
    expect((await run()).out).toMatch(/^latchkey doctor checked src\/auth\.config\.cjs\n/)
  })

  it("is loaded in a process that ends with the report", async () => {
    write(
      "stays.mjs",
      `import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
writeFileSync("stays.pid", String(process.pid))
createServer().listen(0)
export const authConfig = { providers: [] }`,
    )
    await doctor(["stays.mjs", "--offline"], { AUTH_SECRET: SECRET })
    const pid = Number(readFileSync(join(project.folder, "stays.pid"), "utf8"))
    expect(pid).toBeGreaterThan(0)
    expect(() => process.kill(pid, 0)).toThrow("ESRCH")
  })

  it.each([
    [
      "throws.mjs",
      `throw new Error("no database at postgres://me:hidden-word@db.example.com/app")`,
      "module-failed",
      /^no database at postgres:\/\/me:\*\*\*@db/,
    ],
    ["ends.mjs", `process.exit(3)`, "module-failed", /^ended with exit code 3$/],
    [
      "aborts.mjs",
      `console.log("with", process.env.DATABASE_URL); process.kill(process.pid, "SIGKILL")`,
      "module-failed",
      /^ended by SIGKILL\nwith postgres:\/\/me:\*\*\*@db/,
    ],
    ["waits.mjs", `await new Promise(() => {})`, "module-failed", /^not loaded within 10 s/],
    ["nothing.mjs", `export const other = {}`, "config-not-found", /^exports: other$/],
    ["partial.mjs", `export const authConfig = { adapter: {} }`, "config-not-found", /^exports: authConfig$/],
    [
      "falls.mjs",
      `export default { providers: [], get clock() { throw new Error("no clock here") } }`,
      "module-failed",
      /^no clock here$/,
    ],
  ])("%s is reported with the cause and the fix: %s", async (file, text, code, seen) => {
    write(file, text)
    const { code: exit, findings } = await doctor([file], {
      DATABASE_URL: "postgres://me:hidden-word@db.example.com/app",
    })
    expect(exit).toBe(1)
    expect(findings).toMatchObject([{ level: "error", code, subject: file, seen: expect.stringMatching(seen) }])
    expect(findings[0]?.fix).toMatch(/export|remove/)
  })

  it("in TypeScript is loaded if Node.js supports it, else the report states what to write", async () => {
    write("typed.ts", `export const authConfig: { providers: object[] } = { providers: [] }`)
    const { findings } = await doctor(["typed.ts", "--offline"], { AUTH_SECRET: SECRET })
    if (Reflect.get(process.features, "typescript")) expect(findings.map(({ code }) => code)).toContain("no-providers")
    else
      expect(findings).toMatchObject([
        {
          code: "module-failed",
          cause: `Node.js ${process.versions.node} can't load this TypeScript module`,
          fix: expect.stringContaining("run the command with NODE_OPTIONS=--import=tsx"),
        },
      ])
  })

  it.each([
    [["no-such-file.js"], 'there is no file "no-such-file.js"'],
    [["--url", "example.com"], '--url is "example.com", which is not the address of a site: --url https://example.com'],
  ])("%j is a usage error", async (args, message) =>
    expect(await project.latchkey(["doctor", ...args])).toEqual({ code: 2, out: "", err: `latchkey: ${message}\n` }),
  )

  it("is not loaded if the env file is missing", async () => {
    // Node.js 20 handles this option itself, wherever it is given.
    const { code, err } = await project.latchkey(["doctor", "--env-file", "no.env"])
    expect(code).toBeGreaterThan(1)
    expect(err).toContain("no.env")
  })
})
