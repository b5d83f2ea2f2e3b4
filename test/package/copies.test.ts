import { execFile } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { createUserProject } from "./support/user-project.js"

const run = promisify(execFile)

let project: string

beforeAll(() => {
  project = createUserProject()
  addCopy("same", {})
  addCopy("older", { version: "0.0.9" })
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

/** Installs a second copy of the package, as npm does for a dependency on another version. */
function addCopy(name: string, changes: { readonly version?: string }): void {
  const folder = join(project, "packages", name)
  const copy = join(folder, "node_modules/latchkey")
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  cpSync(join(project, "node_modules/latchkey"), copy, { recursive: true })
  // Both copies resolve the same dependencies.
  symlinkSync(resolve("node_modules/express"), join(folder, "node_modules/express"))
  const manifest = join(copy, "package.json")
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, "utf8")), ...changes }))
  writeFileSync(join(folder, "index.mjs"), 'export * from "latchkey"\n')
  writeFileSync(join(folder, "index.cjs"), 'module.exports = require("latchkey")\n')
}

const BODY = `
const secret = "a secret of more than thirty-two characters"
const config = { secret, providers: [Credentials({ authorize: () => ({ id: "1", name: "Ada" }) })], logger: { warn() {}, error() {} } }
const app = express().use(first.authMiddleware(config))
app.get("/me", second.requireAuth, (req, res) => res.json([req.auth.user.name, res.locals.auth.user.name]))
app.get("/optional", second.optionalAuth, (req, res) => res.json(req.auth?.user.name ?? null))
app.get("/read", (req, res, next) => second.getSession(req, config).then((session) => res.json(session.user.name), next))
app.get("/replaced", (req, res, next) => { delete req.getSession; next() }, second.requireAuth, (req, res) => res.json(req.auth.user.name))
const errors = []
app.use((error, req, res, next) => { errors.push([error.messageCode, error.message]); res.sendStatus(error.status) })
const server = app.listen(0, "127.0.0.1", async () => {
  const origin = "http://127.0.0.1:" + server.address().port
  const form = await fetch(origin + "/auth/signin")
  const toHeader = (response) => response.headers.getSetCookie().map((c) => c.split(";")[0]).join("; ")
  const csrfToken = /name="csrfToken" value="([^"]+)"/.exec(await form.text())[1]
  const answer = await fetch(origin + "/auth/callback/credentials", {
    method: "POST", redirect: "manual", headers: { cookie: toHeader(form) }, body: new URLSearchParams({ csrfToken }),
  })
  const cookie = toHeader(answer)
  // Unlike a browser, fetch cannot navigate.
  const page = await new Promise((done) => get(origin + "/me", { headers: { "sec-fetch-mode": "navigate" } }, done))
  page.resume()
  const seen = [new URL(page.headers.location ?? origin).pathname]
  for (const path of ["/me", "/optional", "/read", "/replaced"]) {
    const response = await fetch(origin + path, { headers: { cookie } })
    seen.push(response.ok ? await response.json() : response.status)
  }
  console.log(JSON.stringify({ seen, errors }))
  server.close()
})`

interface Outcome {
  readonly seen: readonly unknown[]
  readonly errors: readonly (readonly [string, string])[]
}

/** Runs an application with the middleware of one copy and the guards of another. */
async function runWith(name: string, copies: { readonly first: string; readonly second: string }): Promise<Outcome> {
  const text = `import { get } from "node:http"
import { createRequire } from "node:module"
import express from "express"
import Credentials from "latchkey/providers/credentials"
const require = createRequire(import.meta.url)
const first = ${copies.first}
const second = ${copies.second}
${BODY}`
  writeFileSync(join(project, `${name}.mjs`), text)
  const { stdout } = await run(process.execPath, [`${name}.mjs`], { cwd: project })
  return JSON.parse(stdout)
}

const IMPORTED = 'await import("latchkey")'
const REQUIRED = 'require("latchkey")'

it.each([
  ["ES modules and CommonJS", IMPORTED, REQUIRED],
  ["CommonJS and ES modules", REQUIRED, IMPORTED],
  ["two folders", IMPORTED, 'await import("./packages/same/index.mjs")'],
  ["two folders and two formats", REQUIRED, 'await import("./packages/same/index.mjs")'],
])("copies of one version work together: %s", async (name, first, second) => {
  const { seen, errors } = await runWith(name.replaceAll(" ", "-"), { first, second })
  expect(errors).toEqual([])
  expect(seen).toEqual(["/auth/signin", ["Ada", "Ada"], "Ada", "Ada", "Ada"])
})

it.each([
  ["ES modules", IMPORTED, 'await import("./packages/older/index.mjs")'],
  ["CommonJS", REQUIRED, 'require("./packages/older/index.cjs")'],
])("copies of different versions are both named in the error: %s", async (name, first, second) => {
  const { seen, errors } = await runWith(`versions-${name.replaceAll(" ", "-")}`, { first, second })
  const { version } = JSON.parse(readFileSync("package.json", "utf8"))
  expect(seen).toEqual(["/", 500, 500, "Ada", 500])
  expect(errors).toHaveLength(4)
  for (const [code, message] of errors) {
    expect(code).toBe("package-duplicated")
    expect(message).toContain(`${version} (${join(project, "node_modules/latchkey")})`)
    expect(message).toContain(`0.0.9 (${join(project, "packages/older/node_modules/latchkey")})`)
    expect(message).toContain("npm ls latchkey")
  }
})

it("symbols of one module format work in the other", async () => {
  const text = `import { createRequire } from "node:module"
import * as imported from "latchkey"
const required = createRequire(import.meta.url)("latchkey")
const pairs = ["customFetch", "raw", "skipCSRFCheck"].map((name) => [imported[name], required[name]])
const config = { raw: required.raw, secret: "a secret of more than thirty-two characters", trustHost: true, providers: [] }
const reply = await imported.Auth(new Request("http://localhost/auth/csrf"), { ...config, logger: { warn() {} } })
console.log(JSON.stringify([reply instanceof Response, pairs.map(([one, other]) => one.description === other.description)]))`
  writeFileSync(join(project, "symbols.mjs"), text)
  const { stdout } = await run(process.execPath, ["symbols.mjs"], { cwd: project })
  expect(JSON.parse(stdout)).toEqual([false, [true, true, true]])
})
