/**
 * The proxy configurations of docs/deployment.md, each run by the proxy itself. A proxy that is not installed is skipped
 * with a message, or fails with `CI=true`.
 *
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import express from "express"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware, requireAuth } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import type { AuthConfig } from "../../lib/types.js"
import { mailbox } from "../flows/support/mail.js"
import { recordingLogger, TEST_SECRET } from "../support/apps.js"
import { Browser } from "../support/browser.js"
import { listen } from "../support/listen.js"
import { overNetwork } from "../support/network.js"
import { blocksOf, read } from "./support/markdown.js"

/** The first code block below a heading. */
const recipe = (name: string): string =>
  blocksOf(read("docs/deployment.md").split(`\n### ${name}\n`)[1] ?? "")[0]?.code ?? ""

interface ProxySetup {
  readonly folder: string
  /** The ports of the proxy and of the application. */
  readonly port: number
  readonly app: number
}

interface Proxy {
  readonly name: string
  readonly program: string
  /** The Debian package of the program. */
  readonly package: string
  /** The complete configuration with the sample, served without TLS. */
  readonly file: (recipe: string, setup: ProxySetup) => string
  readonly args: (file: string, setup: ProxySetup) => readonly string[]
}

const APACHE_MODULES = ["mpm_event", "authz_core", "proxy", "proxy_http", "headers"]

const PROXIES: readonly Proxy[] = [
  {
    name: "nginx",
    program: "nginx",
    package: "nginx-light",
    file: (text, { folder, port }) => `
      daemon off; pid ${folder}/pid; error_log stderr;
      events {}
      http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
        server { listen 127.0.0.1:${port}; ${text} } }`,
    args: (file, { folder }) => ["-p", folder, "-c", file],
  },
  {
    name: "Caddy",
    program: "caddy",
    package: "caddy",
    file: (text, { port }) => `{\n  admin off\n}\n${text.replace("example.com", `http://localhost:${port}`)}`,
    args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  },
  {
    name: "HAProxy",
    program: "haproxy",
    package: "haproxy",
    file: (text, { port }) => `defaults
  timeout client 10s
  timeout server 10s
  timeout connect 5s
${text.replace(/bind .*/, `bind 127.0.0.1:${port}`)}`,
    args: (file) => ["-db", "-f", file],
  },
  {
    name: "Apache",
    program: "apache2",
    package: "apache2-bin",
    file: (text, { folder, port }) => `
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/pid
ErrorLog ${folder}/log
Listen 127.0.0.1:${port}
${APACHE_MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
${text.replace("*:443", `*:${port}`).replace(/ *SSL.*\n/g, "")}`,
    args: (file) => ["-X", "-f", file],
  },
  {
    name: "Varnish",
    program: "varnishd",
    package: "varnish",
    file: (text) => text,
    args: (file, { folder, port }) => [
      ...["-F", "-j", "none", "-n", folder, "-a", `127.0.0.1:${port}`, "-f", file, "-s", "malloc,16m"],
      ...["-p", "http_req_hdr_len=16k"],
    ],
  },
]

function isInstalled(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Resolves when the proxy responds, and rejects with its output if it exits. */
async function untilUp(child: ChildProcess, port: number, written: readonly string[]): Promise<void> {
  const hasEnded = () => child.exitCode !== null
  while (!hasEnded()) {
    const response = await fetch(`http://localhost:${port}/public`).catch(() => undefined)
    if (response?.ok) return
    await setTimeout(50)
  }
  throw new Error(`the proxy ended: ${written.join("")}`)
}

async function freePort(): Promise<number> {
  const { origin, close } = await listen(createServer())
  await close()
  return Number(new URL(origin).port)
}

const running: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop()
})

/** An application that trusts one proxy. */
async function startApp(config: Partial<AuthConfig> = {}) {
  const mail = mailbox()
  const { logger, records } = recordingLogger()
  const app = express()
  app.set("trust proxy", 1)
  app.get("/public", (_req, res) => void res.send("public"))
  const password = Credentials({
    credentials: { name: {} },
    authorize: ({ name }) => ({ id: "7", name: String(name) }),
  })
  const large = { claim: "x".repeat(4_000) }
  app.use(
    authMiddleware({
      ...{ secret: TEST_SECRET, logger, trustHost: true, adapter: MemoryAdapter(), session: { strategy: "jwt" } },
      providers: [mail.provider, password],
      callbacks: { jwt: ({ token }) => ({ ...token, ...large }) },
      ...config,
    }),
  )
  app.get("/me", requireAuth, (req, res) => void res.json({ name: req.auth.user.name, ip: req.ip }))
  const { origin, close } = await listen(createServer(app))
  running.push(close)
  return { mail, records, port: Number(new URL(origin).port) }
}

async function startProxy({ program, args, file, name }: Proxy, app: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-proxy-"))
  const setup = { folder, port: await freePort(), app }
  const path = join(folder, "configuration")
  writeFileSync(path, file(recipe(name).replaceAll("3000", String(app)), setup))
  const child = spawn(program, args(path, setup), { stdio: ["ignore", "pipe", "pipe"] })
  const written: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => written.push(String(text)))
  running.push(async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve))
    if (child.exitCode === null && child.kill()) await ended
    rmSync(folder, { recursive: true, force: true })
  })
  await untilUp(child, setup.port, written)
  return `http://localhost:${setup.port}`
}

/** `describe` that is skipped without the proxy. With `CI=true`, a missing proxy is a failure. */
function describeProxy({ name, program, package: source }: Proxy, tests: () => void): void {
  const title = `the configuration for ${name}`
  const missing = `${program} is not installed. Run apt-get install ${source}.`
  if (isInstalled(program)) describe(title, tests)
  else if (process.env["CI"] === "true") {
    it(title, () => {
      throw new Error(missing)
    })
  } else {
    process.stderr.write(`\n*** SKIPPED: ${title}. ${missing}\n\n`)
    describe.skip(title, tests)
  }
}

for (const proxy of PROXIES) {
  describeProxy(proxy, () => {
    it("keeps the site's host in links, regardless of a visitor's X-Forwarded-Host", async () => {
      const app = await startApp()
      const origin = await startProxy(proxy, app.port)
      const browser = new Browser({ origin })
      const csrfToken = await browser.csrf("/auth")
      const forged = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" }
      await browser.post("/auth/signin/mail", { csrfToken, email: "ada@example.com" })
      await browser.post("/auth/signin/mail", { csrfToken, email: "bob@example.com" }, { headers: forged })
      expect(app.mail.sent.map(({ url }) => new URL(url).origin)).toEqual([origin, origin])
      expect(app.records.map(({ code }) => code)).not.toContain("untrusted-proxy")
    })

    it("passes a session of several cookies and the visitor's address", async () => {
      const app = await startApp()
      const browser = new Browser({ origin: await startProxy(proxy, app.port) })
      await browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf("/auth"), name: "Ada" })
      expect(browser.cookies().filter(({ name }) => name.includes("session-token")).length).toBeGreaterThan(1)
      const me = await browser.get("/me", { headers: { "x-forwarded-for": "203.0.113.7" } })
      expect([me.status, await me.json()]).toEqual([
        200,
        { name: "Ada", ip: expect.stringMatching(/127\.0\.0\.1|::1/) },
      ])
    })
  })
}

describe("a proxy that removes a path prefix", () => {
  /** Forwards requests below /shop without /shop. */
  async function startStrippingProxy(app: number): Promise<string> {
    const server = createServer((req, res) => {
      if (!req.url?.startsWith("/shop/")) return void res.writeHead(404).end()
      const inner = request(
        { port: app, path: req.url.slice(5), method: req.method, headers: req.headers },
        (answer) => {
          res.writeHead(answer.statusCode ?? 0, answer.headers)
          answer.pipe(res)
        },
      )
      req.pipe(inner)
    })
    const { origin, close } = await listen(server)
    running.push(close)
    return origin
  }

  it("works with the outer path in AUTH_URL and the inner one as basePath", async () => {
    const before = process.env["AUTH_URL"]
    const placeholder = await freePort()
    process.env["AUTH_URL"] = `http://localhost:${placeholder}/shop/auth`
    const app = await startApp({ basePath: "/auth" })
    if (before === undefined) delete process.env["AUTH_URL"]
    else process.env["AUTH_URL"] = before
    const proxy = await startStrippingProxy(app.port)
    const browser = new Browser({
      origin: `http://localhost:${placeholder}`,
      // The site's name resolves to the proxy.
      send: (request) => overNetwork(request, proxy),
    })
    const guarded = await browser.get("/shop/me", { headers: { accept: "text/html" } })
    const signIn = `http://localhost:${placeholder}/shop/auth/signin`
    expect(guarded.location).toBe(`${signIn}?callbackUrl=${encodeURIComponent("/shop/me")}`)
    const page = await (await browser.get(guarded.location)).text()
    expect(page).toContain(`action="${signIn}/mail"`)
    expect(page).toContain('href="/shop/auth/assets/')
    const csrfToken = await browser.csrf("/shop/auth")
    await browser.post("/shop/auth/signin/mail", { csrfToken, email: "ada@example.com", callbackUrl: "/shop/me" })
    const link = app.mail.linkTo("ada@example.com")
    expect(link.startsWith(`http://localhost:${placeholder}/shop/auth/callback/mail?`)).toBe(true)
    const landed = await browser.get(link)
    expect(landed.location).toBe(`http://localhost:${placeholder}/shop/me`)
    expect((await browser.get("/shop/me")).status).toBe(200)
  })
})
