import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import ts from "typescript"
import { createUserProject } from "./support/user-project.js"

let project: string

beforeAll(() => {
  project = createUserProject()
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

/** The output of the compiler, which also writes the project's declarations. */
function compile(name: string, files: Readonly<Record<string, string>>, options: object): Promise<string> {
  const folder = join(project, name)
  mkdirSync(folder)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const compilerOptions = { strict: true, target: "es2022", skipLibCheck: true, esModuleInterop: true, types: ["node"] }
  const output = { declaration: true, outDir: "out", rootDir: "." }
  const names = Object.keys(files).filter((file) => file.endsWith(".ts"))
  const config = { compilerOptions: { ...compilerOptions, ...output, ...options }, files: names }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  const args = [resolve("node_modules/typescript/bin/tsc"), "--pretty", "false", "-p", folder]
  return new Promise((done) => execFile(process.execPath, args, (_error, stdout, stderr) => done(stdout + stderr)))
}

/** An application without type annotations, so that the compiler must name the inferred types. */
const APPLICATION = `import express from "express"
import { migrateSession, authHandlers, authMiddleware, getSession, requireAuth, type AuthConfig } from "latchkey"
import { MemoryAdapter } from "latchkey/adapters/memory"
import { SqlAdapter } from "latchkey/adapters/sql"
import { AdapterError } from "latchkey/errors"
import { encode, getToken } from "latchkey/jwt"
import Credentials from "latchkey/providers/credentials"
import GitHub from "latchkey/providers/github"
import Keycloak from "latchkey/providers/keycloak"
import Nodemailer from "latchkey/providers/nodemailer"
import Passkey from "latchkey/providers/passkey"
import { devProvider, mailbox } from "latchkey/testing"
export const github = GitHub({ isAllowed: ({ login }) => login === "ada" })
export const keycloak = Keycloak({ issuer: "https://id.example.com/realms/main" })
export const credentials = Credentials({ credentials: { name: {} }, authorize: ({ name }) => ({ name: String(name) }) })
export const email = Nodemailer({ server: "smtp://127.0.0.1", from: "a@example.com" })
export const development = devProvider()
export const inbox = mailbox()
export const sql = SqlAdapter({ sqlite: ":memory:" })
export const adapter = MemoryAdapter()
export const { createUser } = adapter
export const config = {
  adapter,
  providers: [GitHub, Passkey, github, keycloak, credentials, email, development],
  callbacks: { session: ({ session }) => session, jwt: ({ token }) => token },
} satisfies AuthConfig
export const { callbacks, session, theme, logger } = config as AuthConfig
export const auth = authMiddleware(config)
export const { GET, POST } = authHandlers(config)
export const guard = requireAuth({ authorize: ({ user }) => user.name === "Ada" })
export const adopt = migrateSession(config, { cookie: "old", until: new Date(), read: () => null })
export const read = (request: Request) => getSession(request, config)
export const token = (req: Request) => getToken({ req, secret: "s" })
export const seal = () => encode({ secret: "s", salt: "t", token: {} })
export const causeOf = (error: AdapterError) => error.cause
export const app = express()
app.use(auth)
app.get("/", requireAuth, (req, res) => res.json(req.auth.user))
`

/** The same package in CommonJS, where `require` returns the provider itself. */
const REQUIRING = `import latchkey = require("latchkey")
import GitHub = require("latchkey/providers/github")
declare module "latchkey" { interface User { role?: "admin" } }
export const config = { providers: [GitHub, GitHub({ clientId: "i" })] } satisfies latchkey.AuthConfig
export const guard = latchkey.requireAuth({ authorize: ({ user }) => user.role === "admin" })
`

const MODES = {
  "classic Node resolution": { type: "commonjs", module: "commonjs", moduleResolution: "node10", requiring: true },
  "CommonJS of Node": { type: "commonjs", module: "node16", moduleResolution: "node16", requiring: true },
  "ES modules of Node": { type: "module", module: "nodenext", moduleResolution: "nodenext" },
  "a bundler": { type: "module", module: "esnext", moduleResolution: "bundler" },
}

it.each(Object.entries(MODES))(
  "names every inferred type in declarations: %s",
  async (name, mode) => {
    const { type, requiring, ...options } = { requiring: false, ...mode }
    const files = { "package.json": JSON.stringify({ type }), "app.ts": APPLICATION }
    expect(await compile(name, requiring ? { ...files, "requiring.ts": REQUIRING } : files, options)).toBe("")
    expect(readFileSync(join(project, name, "out/app.d.ts"), "utf8")).not.toContain("latchkey/dist")
  },
  120_000,
)

/** The declaration files of all import paths, relative to dist. */
function entryFiles(dist: string): string[] {
  const folders = ["", "adapters/", "providers/"]
  const files = folders.flatMap((folder) => readdirSync(join(dist, folder)).map((file) => folder + file))
  return files.filter((file) => file.endsWith(".d.ts") && !/-[\w-]{8}\.d\.ts$|^(cli|config-child)\./.test(file))
}

interface Exports {
  readonly symbols: ReadonlySet<ts.Symbol>
  readonly mentioned: ReadonlySet<ts.Symbol>
}

/** The exports of a module, and all types that they mention directly or indirectly. */
function exportsOf(file: ts.SourceFile, checker: ts.TypeChecker): Exports {
  const resolved = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const symbolOf = (node: ts.Node): ts.Symbol | undefined => {
    const base = ts.isExpressionWithTypeArguments(node) ? node.expression : undefined
    const name = ts.isTypeReferenceNode(node) ? node.typeName : base
    const found = name && checker.getSymbolAtLocation(name)
    return found && resolved(found)
  }
  const own = checker.getSymbolAtLocation(file)
  const symbols = new Set(own ? checker.getExportsOfModule(own).map(resolved) : [])
  const [mentioned, visited] = [new Set<ts.Symbol>(), new Set<ts.Symbol>()]
  const visit = (symbol: ts.Symbol) => {
    if (visited.has(symbol)) return
    visited.add(symbol)
    for (const declaration of symbol.declarations ?? []) if (isOurs(declaration)) walk(declaration)
  }
  const walk = (node: ts.Node): void => {
    const symbol = symbolOf(node)
    if (symbol?.declarations?.some(isOurs) && !(symbol.flags & ts.SymbolFlags.TypeParameter)) {
      // Members of a base type and aliases of `any` appear without a name.
      const isAny = checker.getDeclaredTypeOfSymbol(symbol).flags & ts.TypeFlags.Any
      if (ts.isTypeReferenceNode(node) && !isAny) mentioned.add(symbol)
      visit(symbol)
    }
    ts.forEachChild(node, walk)
  }
  symbols.forEach(visit)
  return { symbols, mentioned }
}

/** A global type such as `Express.Locals` needs no import. */
const isOurs = (node: ts.Node): boolean =>
  node.getSourceFile().fileName.includes("/latchkey/dist/") &&
  !ts.findAncestor(node, (parent) => ts.isModuleDeclaration(parent) && parent.name.text === "global")

it("every type that a public declaration mentions is exported", () => {
  const dist = join(project, "node_modules/latchkey/dist")
  const entries = entryFiles(dist)
  expect(entries.length).toBeGreaterThan(100)
  const { NodeNext: module } = ts.ModuleKind
  const paths = entries.map((entry) => join(dist, entry))
  const program = ts.createProgram(paths, { module, target: ts.ScriptTarget.ES2022, strict: true, types: ["node"] })
  const checker = program.getTypeChecker()
  const exportsAt = (entry: string) => {
    const file = program.getSourceFile(join(dist, entry))
    if (!file) throw new Error(`not in the program: ${entry}`)
    return exportsOf(file, checker)
  }
  // Every application imports "latchkey" itself.
  const { symbols: common } = exportsAt("index.d.ts")
  const missing = entries.flatMap((entry) => {
    const { symbols, mentioned } = exportsAt(entry)
    const unnamed = [...mentioned].filter((symbol) => !symbols.has(symbol) && !common.has(symbol))
    return unnamed.map(({ name }) => `${name} of ${entry}`)
  })
  expect(missing).toEqual([])
}, 120_000)
