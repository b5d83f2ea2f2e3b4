import { execFile, execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import * as errors from "../../lib/errors/errors.js"
import { createUserProject } from "./support/user-project.js"

const run = promisify(execFile)

let project: string

beforeAll(() => {
  project = createUserProject()
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

const BODY = `
const app = express()
app.use(authMiddleware({
  secret: "a secret of more than thirty-two characters",
  providers: [Credentials({ authorize: () => ({ id: "1", name: "Ada" }) }), GitHub({ clientId: "i", clientSecret: "s" })],
}))
app.get("/me", async (req, res) => res.json(await req.getSession()))
const server = app.listen(0, "127.0.0.1", async () => {
  const origin = "http://127.0.0.1:" + server.address().port
  const page = await fetch(origin + "/auth/signin")
  const cookies = page.headers.getSetCookie().map((c) => c.split(";")[0])
  const csrfToken = /name="csrfToken" value="([^"]+)"/.exec(await page.text())[1]
  const answer = await fetch(origin + "/auth/callback/credentials", {
    method: "POST", redirect: "manual", headers: { cookie: cookies.join("; ") }, body: new URLSearchParams({ csrfToken }),
  })
  const cookie = answer.headers.getSetCookie().map((c) => c.split(";")[0]).join("; ")
  const session = await (await fetch(origin + "/me", { headers: { cookie } })).json()
  const start = await fetch(origin + "/auth/signin/github", {
    method: "POST", redirect: "manual", headers: { cookie: cookies.join("; ") }, body: new URLSearchParams({ csrfToken }),
  })
  console.log(JSON.stringify({ user: session.user.name, to: new URL(start.headers.get("location")).host, own: new AccessDenied("x") instanceof AuthError }))
  server.close()
})`

async function runInProject(file: string, text: string): Promise<unknown> {
  writeFileSync(join(project, file), text)
  const { stdout } = await run(process.execPath, [file], { cwd: project })
  return JSON.parse(stdout)
}

const EXPECTED = { user: "Ada", to: "github.com", own: true }

it("the package works as ES modules", async () => {
  const text = `import express from "express"
import { AccessDenied, AuthError, authMiddleware } from "latchkey"
import Credentials from "latchkey/providers/credentials"
import GitHub from "latchkey/providers/github"
${BODY}`
  expect(await runInProject("app.mjs", text)).toEqual(EXPECTED)
})

it("the package works as CommonJS", async () => {
  const text = `const express = require("express")
const { AccessDenied, AuthError, authMiddleware } = require("latchkey")
const Credentials = require("latchkey/providers/credentials")
const GitHub = require("latchkey/providers/github")
${BODY}`
  expect(await runInProject("app.cjs", text)).toEqual(EXPECTED)
})

it("latchkey/errors exports every error class, and nothing that only this package uses", async () => {
  const classes = Object.entries(errors).filter(([, value]) =>
    Object.prototype.isPrototypeOf.call(errors.AuthError, value),
  )
  const names = ["AuthError", "ERRORS", "isError", ...classes.map(([name]) => name)]
  const text = `import * as errors from "latchkey/errors"
console.log(JSON.stringify(Object.keys(errors).sort()))`
  expect(await runInProject("exports.mjs", text)).toEqual(names.sort())
})

it("errors of one module format are instances of the other format's classes", async () => {
  const text = `import { createRequire } from "node:module"
import { AuthError, CredentialsSignin } from "latchkey"
const required = createRequire(import.meta.url)("latchkey")
class Own extends CredentialsSignin {}
console.log(JSON.stringify([
  new required.AccessDenied("x") instanceof AuthError,
  new required.CredentialsSignin("x") instanceof CredentialsSignin,
  new required.AccessDenied("x") instanceof CredentialsSignin,
  new required.CredentialsSignin("x") instanceof Own,
]))`
  expect(await runInProject("errors.mjs", text)).toEqual([true, true, false, false])
})

/** A typical CommonJS test. */
const PLAIN_TEST = `
const express = require("express")
const request = require("supertest")
const { authMiddleware, requireAuth } = require("latchkey")
const Credentials = require("latchkey/providers/credentials")
const { signInAs } = require("latchkey/testing")
it("lets Ada in", async () => {
  const secret = "a secret of more than thirty-two characters"
  const app = express().use(authMiddleware({ secret, providers: [Credentials({ authorize: () => null })] }))
  app.get("/me", requireAuth, (req, res) => res.json(req.auth.user))
  const agent = request.agent(app)
  await agent.get("/me").expect(401)
  await signInAs(agent, { name: "Ada" })
  await agent.get("/me").expect(200, { name: "Ada" })
})`

it("test helpers of one module format find the middleware of the other", async () => {
  const text = `import { createRequire } from "node:module"
import express from "express"
import request from "supertest"
import { authMiddleware } from "latchkey"
import { MemoryAdapter } from "latchkey/adapters/memory"
import Credentials from "latchkey/providers/credentials"
const { sessionOf, signInAs, signOut } = createRequire(import.meta.url)("latchkey/testing")
const secret = "a secret of more than thirty-two characters"
const providers = [Credentials({ authorize: () => null })]
const app = express().use(authMiddleware({ secret, providers, adapter: MemoryAdapter() }))
app.get("/me", async (req, res) => res.json((await req.getSession())?.user.name ?? null))
const agent = request.agent(app)
const seen = []
await signInAs(agent, { name: "Ada" }, { age: 60 })
seen.push((await agent.get("/me")).body, (await sessionOf(agent)).user.name)
await signOut(agent)
seen.push((await agent.get("/me")).body)
console.log(JSON.stringify(seen))`
  expect(await runInProject("testing.mjs", text)).toEqual(["Ada", "Ada", null])
})

it.each(["memory", "redis", "sql", "testing"])("both module formats export the store module %s", async (name) => {
  const text = `import { createRequire } from "node:module"
const required = createRequire(import.meta.url)("latchkey/stores/${name}")
console.log(JSON.stringify([Object.keys(await import("latchkey/stores/${name}")), Object.keys(required)]))`
  const [imported, required] = (await runInProject("stores.mjs", text)) as [string[], string[]]
  expect(imported.filter((key) => key !== "default")).toEqual(required)
  expect(required.length).toBeGreaterThan(0)
})

it("the package can be required in a Jest project without configuration", async () => {
  const test = join(project, "plain.test.js")
  writeFileSync(test, PLAIN_TEST)
  const config = JSON.stringify({ rootDir: project, transform: {}, testEnvironment: "node" })
  const { stderr } = await run(process.execPath, [resolve("node_modules/jest/bin/jest.js"), "--config", config])
  expect(stderr).toMatch(/1 passed/)
})

it("the npm package contains exactly the expected folders, docs and icons", () => {
  const [{ files }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  )
  const paths: string[] = files.map((file: { path: string }) => file.path)
  const folders = new Set(paths.map((path) => (path.includes("/") ? path.split("/")[0] : path)))
  expect([...folders].sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "dist",
    "docs",
    "examples",
    "package.json",
    "views",
  ])
  const pages = readdirSync("docs", { recursive: true, encoding: "utf8", withFileTypes: true })
  const inDocs = pages.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  // The contact sheet of all pages is for the repository only.
  const all = inDocs.filter((file) => file !== join("docs", "images", "pages.png"))
  expect(paths.filter((path) => path.startsWith("docs/")).sort()).toEqual(all.sort())
  const icons = readdirSync("views/icons").map((file) => `views/icons/${file}`)
  expect(icons).toContain("views/icons/github.svg")
  expect(paths.filter((path) => path.startsWith("views/icons/")).sort()).toEqual(icons.sort())
  expect(paths).toEqual(expect.arrayContaining(["views/passkeys.js", "views/locales/ar.json", "dist/catalogue.json"]))
})

it("the pages show the included provider icons", async () => {
  const text = `import { Auth } from "latchkey"
import GitHub from "latchkey/providers/github"
const own = { id: "acme", name: "Acme", type: "oidc", issuer: "https://id.example.com", clientId: "i", clientSecret: "s" }
const config = { secret: "a secret of more than thirty-two characters", trustHost: true, basePath: "/auth", providers: [GitHub({ clientId: "i", clientSecret: "s" }), own] }
const page = await Auth(new Request("http://localhost/auth/signin"), config)
console.log(JSON.stringify([...(await page.text()).matchAll(/<button[^>]*>\\s*(<\\w+)[^>]*>(\\w?)/g)].map((found) => found.slice(1))))`
  expect(await runInProject("page.mjs", text)).toEqual([
    ["<svg", ""],
    ["<span", "A"],
  ])
})

it("the types compile in a strict project in both module formats", async () => {
  const text = (augmented: string) => `import express from "express"
import { authMiddleware, requireAuth, type AuthConfig, type Session } from "latchkey"
import type { JWT } from "latchkey/jwt"
import GitHub from "latchkey/providers/github"
declare module "latchkey" { interface User { role?: ${augmented} } }
declare module "latchkey/jwt" { interface JWT { role?: ${augmented} } }
export const readRole = ({ role }: JWT): "admin" | undefined => role
const config: AuthConfig = { providers: [GitHub, GitHub({ clientId: "x", clientSecret: "y" })] }
const app = express()
app.use(authMiddleware(config))
app.use(["/a", "/b"], requireAuth({ redirectTo: "/" }))
app.get("/me", requireAuth, async (req, res) => {
  const session: Session | null = await req.getSession()
  const role: "admin" | undefined = req.auth.user.role
  res.json({ role, name: session?.user?.name })
})
`
  writeFileSync(join(project, "typed.mts"), text(`"admin"`))
  writeFileSync(
    join(project, "typed.cts"),
    text(`"admin"`).replace(`import express from "express"`, `import express = require("express")`),
  )
  writeFileSync(
    join(project, "required.cts"),
    `import latchkey = require("latchkey")
import Credentials = require("latchkey/providers/credentials")
import GitHub = require("latchkey/providers/github")
import type { GitHubProfile } from "latchkey/providers/github"
const isAllowed = ({ login }: GitHubProfile) => login === "ada"
export = latchkey.authMiddleware({
  providers: [GitHub, GitHub({ isAllowed }), Credentials({ authorize: () => null })],
})
`,
  )
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        module: "nodenext",
        target: "es2022",
        noEmit: true,
        skipLibCheck: false,
        esModuleInterop: true,
        types: ["node"],
      },
      files: ["typed.mts", "typed.cts", "required.cts"],
    }),
  )
  expect(existsSync(resolve("node_modules/typescript/bin/tsc"))).toBe(true)
  const result = await run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", "."], {
    cwd: project,
  }).catch((error: { stdout: string }) => error)
  expect(result.stdout).toBe("")
}, 60_000)

it("the CommonJS declarations of providers use `export =`", () => {
  const folder = join(project, "node_modules/latchkey/dist/providers")
  const declarations = readdirSync(folder).filter((file) => file.endsWith(".d.cts"))
  expect(declarations.length).toBeGreaterThan(100)
  expect(declarations.filter((file) => !/^export = \w+;$/m.test(readFileSync(join(folder, file), "utf8")))).toEqual([])
})

it("a missing passkey package is reported in one line, and is loaded only when needed", async () => {
  const text = `
import { MemoryAdapter } from "latchkey/adapters/memory"
import { authMiddleware } from "latchkey"
import Passkey from "latchkey/providers/passkey"
try {
  authMiddleware({
    secret: "a secret of more than thirty-two characters",
    providers: [Passkey],
    adapter: MemoryAdapter(),
    experimental: { enableWebAuthn: true },
  })
} catch (error) {
  console.log(JSON.stringify(error.message.split("\\n").slice(1)))
}
`
  expect(await runInProject("passkeys.mjs", text)).toEqual([
    expect.stringContaining("needs a package that is not installed. Run npm install @simplewebauthn/server"),
    "For an explanation run: npx latchkey explain package-missing",
  ])
})
