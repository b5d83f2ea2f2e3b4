/**
 * Runs the examples in their own processes, on free ports, with the built package.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { until } from "../../support/wait.js"

export const ROOT = resolve(__dirname, "../../..")

export interface RunningExample {
  readonly origin: string
  readonly port: number
  /** Everything printed so far to both streams. */
  output(): string
  /** Sends the signal, and returns the exit code. */
  stop(signal?: "SIGINT" | "SIGTERM"): Promise<number | null>
}

const SETTINGS = /^(AUTH_|NEXTAUTH_|NODE_ENV$|NODE_OPTIONS$|PORT$|DATABASE_FILE$|BUILT_IN_PAGES$)/

/** The environment without settings for the examples. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTINGS.test(name)))
}

/** A temporary folder for databases. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "latchkey-example-"))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts an example, by default with its own database, and waits until it prints its address. */
export async function runExample(file: string, env: Record<string, string> = {}): Promise<RunningExample> {
  const port = Number(env["PORT"] ?? (await freePortPair()))
  const folder = temporaryFolder()
  const child = spawn(process.execPath, [file], {
    cwd: ROOT,
    env: { ...plainEnvironment(), PORT: String(port), DATABASE_FILE: join(folder.path, "example.db"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const exited = once(child, "exit")
  exited.then(folder.remove)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const origin = `http://localhost:${port}`
  await until(() => output.includes(`localhost:${port}`) || child.exitCode !== null, 15_000)
  if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}:\n${output}`)
  const stop = async (signal: "SIGINT" | "SIGTERM" = "SIGINT") => {
    child.kill(signal)
    await exited
    return child.exitCode
  }
  return { origin, port, output: () => output, stop }
}

/** Runs a file that is expected to exit by itself. */
export async function runToEnd(file: string, env: Record<string, string>): Promise<{ code: unknown; output: string }> {
  const settings = { DATABASE_FILE: ":memory:", ...env }
  const child = spawn(process.execPath, [file], { cwd: ROOT, env: { ...plainEnvironment(), ...settings } })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, "close")
  return { code, output }
}

const listening = (port: number) =>
  new Promise<Server | undefined>((done) => {
    const server = createServer()
    server.once("error", () => done(undefined))
    server.listen(port, () => done(server))
  })

const closed = (server: Server | undefined) =>
  new Promise<void>((done) => (server ? server.close(() => done()) : done()))

/** Below the ephemeral ports of the system, so that no other test receives the port between a stop and a restart. */
const [LOWEST, HIGHEST] = [20_000, 32_000]

/** A free port whose successor is free too. */
export async function freePortPair(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = randomInt(LOWEST / 2, HIGHEST / 2) * 2
    const pair = await Promise.all([listening(port), listening(port + 1)])
    await Promise.all(pair.map(closed))
    if (pair.every(Boolean)) return port
  }
  throw new Error("no two free ports in a row")
}
