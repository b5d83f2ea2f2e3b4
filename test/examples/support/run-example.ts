/**
 * The examples as a person runs them: in a process of their own, on free ports, with the package that was built.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type Server } from "node:net"
import { resolve } from "node:path"
import { until } from "../../support/wait.js"

export const ROOT = resolve(__dirname, "../../..")

export interface RunningExample {
  readonly origin: string
  readonly port: number
  /** What it has printed so far, on both streams. */
  output(): string
  /** Ends it as Ctrl-C does, and gives its exit code. */
  stop(signal?: "SIGINT" | "SIGTERM"): Promise<number | null>
}

/** The environment of a person who has set nothing for the examples. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env)
  return Object.fromEntries(entries.filter(([name]) => !/^(AUTH_|NEXTAUTH_|NODE_ENV$|NODE_OPTIONS$|PORT$)/.test(name)))
}

/** Starts an example and waits for it to say its address. */
export async function runExample(file: string, env: Record<string, string> = {}): Promise<RunningExample> {
  const port = await freePortPair()
  const child = spawn(process.execPath, [file], {
    cwd: ROOT,
    env: { ...plainEnvironment(), PORT: String(port), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const exited = once(child, "exit")
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const origin = `http://localhost:${port}`
  await until(() => output.includes(origin) || child.exitCode !== null, 15_000)
  if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}:\n${output}`)
  const stop = async (signal: "SIGINT" | "SIGTERM" = "SIGINT") => {
    child.kill(signal)
    await exited
    return child.exitCode
  }
  return { origin, port, output: () => output, stop }
}

/** Runs a file that is expected to end by itself. */
export async function runToEnd(file: string, env: Record<string, string>): Promise<{ code: unknown; output: string }> {
  const child = spawn(process.execPath, [file], { cwd: ROOT, env: { ...plainEnvironment(), ...env } })
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

/** A port that is free, as the one after it is. */
async function freePortPair(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const first = await listening(0)
    const address = first?.address()
    const port = typeof address === "object" && address ? address.port : 65_535
    const second = port < 65_535 ? await listening(port + 1) : undefined
    await Promise.all([closed(first), closed(second)])
    if (second) return port
  }
  throw new Error("no two free ports in a row")
}
