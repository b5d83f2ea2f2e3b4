/**
 * The container sample of docs/deployment.md. Its steps run in a folder instead of an image, as another user if the test
 * may change users.
 *
 * @module
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { freePortPair } from "../examples/support/run-example.js"
import { until } from "../support/wait.js"
import { blocksOf, read } from "./support/markdown.js"

const section = read("docs/deployment.md").split("\n## In a container\n")[1]?.split("\n## ")[0] ?? ""
const sampleIn = (language: string): string =>
  blocksOf(section).find((block) => block.language === language)?.code ?? ""

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"))
/** Packages that an image would install from the registry. */
const FROM_REGISTRY = ["express", ...Object.keys(dependencies), "kysely", "better-sqlite3"]

const isRoot = process.getuid?.() === 0
/** The ids of the user `node` in the image. */
const [uid, gid] = isRoot ? [1000, 1000] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0]

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "latchkey-container-"))
  chmodSync(root, 0o755)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const within = (path: string) => join(root, path)
const OFFLINE = { npm_config_offline: "true", npm_config_audit: "false", npm_config_fund: "false" }
const npm = (folder: string, ...words: string[]) =>
  execFileSync("npm", words, {
    cwd: folder,
    env: { ...process.env, ...OFFLINE, npm_config_cache: join(folder, ".cache") },
    stdio: "pipe",
  })

/** Packs the package without dependencies, so that it installs without the registry. */
function packTo(folder: string): void {
  mkdirSync(within("package"))
  for (const part of ["dist", "views"]) cpSync(part, within(`package/${part}`), { recursive: true })
  const manifest = { ...JSON.parse(readFileSync("package.json", "utf8")), dependencies: {}, devDependencies: {} }
  writeFileSync(within("package/package.json"), JSON.stringify(manifest))
  npm(within("package"), "pack", "--ignore-scripts", "--pack-destination", folder)
}

/** An application written by `init` with the lines of the sample. */
function createContext(): string {
  const folder = within("context")
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  packTo(folder)
  npm(folder, "install", `./${readdirSync(folder).find((name) => name.endsWith(".tgz"))}`)
  const words = ["init", "--framework", "express", "--credentials", "--session", "sqlite"]
  execFileSync(process.execPath, [resolve("dist/cli.js"), ...words], { cwd: folder, stdio: "pipe" })
  const edit = (file: string, from: string, to: string) => {
    const text = readFileSync(join(folder, file), "utf8")
    expect(text).toContain(from)
    writeFileSync(join(folder, file), text.replace(from, to))
  }
  const adapter = /`(SqlAdapter\(.*?\))`/.exec(section)?.[1] ?? ""
  edit("auth.js", `SqlAdapter({ sqlite: "auth.db" })`, adapter.replace("/data", within("data")))
  const health = sampleIn("js").split("\n")[0] ?? ""
  edit("server.js", "app.use(", `${health}\napp.use(`)
  writeFileSync(join(folder, ".dockerignore"), sampleIn("gitignore"))
  return folder
}

/** Copies an installed package and its dependencies. */
function addModule(name: string, modules: string): void {
  if (existsSync(join(modules, name))) return
  cpSync(`node_modules/${name}`, join(modules, name), { recursive: true, dereference: true })
  const { dependencies = {} } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"))
  for (const needed of Object.keys(dependencies)) if (needed !== "prebuild-install") addModule(needed, modules)
}

/** Simulates `COPY` with names, and patterns that contain `*`. */
function copy(patterns: readonly string[], from: string, to: string): void {
  // npm's cache exists only in this test.
  const ignored = readFileSync(join(from, ".dockerignore"), "utf8").split("\n").filter(Boolean).concat(".cache")
  const matches = (name: string, pattern: string) =>
    pattern === "." || new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`).test(name)
  for (const name of readdirSync(from)) {
    const isWanted = patterns.some((pattern) => matches(name, pattern))
    if (isWanted && !ignored.some((pattern) => matches(name, pattern)))
      cpSync(join(from, name), join(to, name), { recursive: true })
  }
}

it("the image of docs/deployment.md builds, serves its port, reports its health and keeps its database", async () => {
  const context = createContext()
  const port = await freePortPair()
  const text = sampleIn("dockerfile")
    .replaceAll("3000", String(port))
    .replaceAll("/app", within("app"))
    .replaceAll(/(?<=[ "])\/data/g, within("data"))
  const steps = text
    .trim()
    .split("\n")
    .map((line) => /^(\w+) (.*)$/.exec(line)?.slice(1) ?? [])
  const env: Record<string, string> = {}
  let folder = ""
  let user = "root"
  let [health, command]: [string[], string[]] = [[], []]
  for (const [instruction, rest = ""] of steps) {
    if (instruction === "ENV")
      for (const pair of rest.split(" ")) env[pair.split("=")[0] ?? ""] = pair.split("=")[1] ?? ""
    if (instruction === "WORKDIR") folder = rest
    if (instruction === "WORKDIR") mkdirSync(folder)
    if (instruction === "COPY") copy(rest.split(" ").slice(0, -1), context, folder)
    if (instruction === "RUN" && rest.startsWith("npm ")) npm(folder, ...rest.split(" ").slice(1))
    else if (instruction === "RUN")
      execFileSync("sh", ["-c", rest.replace("node:node", `${uid}:${gid}`)], { cwd: folder })
    if (instruction === "USER") user = rest
    if (instruction === "HEALTHCHECK") health = JSON.parse(rest.slice(rest.indexOf("[")))
    if (instruction === "CMD") command = JSON.parse(rest)
  }
  expect({ user, env }).toEqual({ user: "node", env: { NODE_ENV: "production", PORT: String(port) } })
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(["server.js", "package-lock.json", "node_modules"]))
  expect(existsSync(join(folder, ".env"))).toBe(false)
  for (const name of FROM_REGISTRY) addModule(name, join(folder, "node_modules"))

  const settings = { AUTH_SECRET: "a".repeat(32), AUTH_URL: "https://example.com" }
  const options = { cwd: folder, env: { PATH: process.env["PATH"], ...env, ...settings }, uid, gid }
  const run = ([program = "", ...words]: readonly string[]) => spawn(program, words, { ...options, stdio: "pipe" })
  const server = run(command)
  let output = ""
  for (const stream of [server.stdout, server.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const exited = once(server, "exit")
  try {
    await until(() => output.includes(String(port)) || server.exitCode !== null, 15_000)
    expect({ exitCode: server.exitCode, output }).toMatchObject({ exitCode: null })
    expect(await once(run(health), "exit")).toEqual([0, null])
    const page = await fetch(`http://localhost:${port}/auth/signin`)
    expect([page.status, existsSync(within("data/app.db"))]).toEqual([200, true])
  } finally {
    server.kill("SIGTERM")
    await exited
  }
  expect(await once(run(health), "exit")).toEqual([1, null])
}, 120_000)
