/**
 * Starts an application in its own process, and reads its output.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join, resolve } from "node:path"
import { TEST_SECRET } from "../../support/apps.js"
import { Browser } from "../../support/browser.js"
import { startRealProvider } from "../../support/real-provider.js"
import { until } from "../../support/wait.js"

const ROOT = resolve(__dirname, "../../..")
const SETTINGS = /^(AUTH_|NEXTAUTH_|NODE_ENV$|NODE_OPTIONS$|PORT$|DEBUG)/

export const PASSWORD = "correct horse battery staple"
const CLIENT = { client_id: "trace", client_secret: "a client secret that may not appear in a trace" }

export interface TracedSite {
  readonly origin: string
  browser(): Browser
  /** Everything on standard error: the log and the trace. */
  errors(): string
  /** The links in the emails so far. */
  links(): string[]
  /** Values that may not appear in the trace. */
  readonly secrets: readonly string[]
  close(): Promise<void>
}

/** The complete lines. */
const linesOf = (text: string): string[] => text.split("\n").slice(0, -1)

function collect(child: ChildProcess) {
  const written = { out: "", errors: "" }
  child.stdout?.on("data", (chunk: Buffer) => (written.out += chunk.toString()))
  child.stderr?.on("data", (chunk: Buffer) => (written.errors += chunk.toString()))
  const printed = (name: string): unknown[] =>
    linesOf(written.out).flatMap((line) => Object(JSON.parse(line))[name] ?? [])
  return { written, printed }
}

/** Starts a provider, and an application that signs users in at this provider. */
export async function startTracedSite(env: Record<string, string>): Promise<TracedSite> {
  const provider = await startRealProvider()
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTINGS.test(name)))
  const settings = {
    ...{ AUTH_SECRET: TEST_SECRET, AUTH_REAL_ISSUER: provider.issuer, PASSWORD, SESSIONS: "jwt" },
    ...{ AUTH_REAL_ID: CLIENT.client_id, AUTH_REAL_SECRET: CLIENT.client_secret },
  }
  const child = spawn(process.execPath, [join(ROOT, "test/trace/support/site.js")], {
    cwd: ROOT,
    env: { ...own, ...settings, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const exited = once(child, "exit")
  const { written, printed } = collect(child)
  await until(() => printed("port").length > 0 || child.exitCode !== null, 20_000)
  if (child.exitCode !== null) throw new Error(`the application exited with code ${child.exitCode}:\n${written.errors}`)
  const origin = `http://127.0.0.1:${printed("port")[0]}`
  await provider.addClient({ ...CLIENT, redirect_uris: [`${origin}/auth/callback/real`] })
  return {
    origin,
    browser: () => new Browser({ origin }),
    errors: () => written.errors,
    links: () => printed("link").map(String),
    secrets: [TEST_SECRET, PASSWORD, CLIENT.client_secret],
    async close() {
      child.kill("SIGKILL")
      await exited
      await provider.close()
    },
  }
}

/** A line of the trace. */
export interface TraceLine {
  readonly topic: string
  /** For a flow: its id, and the numbers of the request within it and of the step within the request. */
  readonly flow?: string
  readonly step?: string
  readonly text: string
}

/** Parses the trace. Without a terminal, each line begins with the time. */
export const traceLines = (errors: string): TraceLine[] =>
  linesOf(errors).flatMap((line) => {
    const [, topic, rest = ""] = /^\S+Z latchkey:(\w+) (.*)$/.exec(line) ?? []
    if (!topic) return []
    const [, flow, step, text] = /^flow ([0-9A-Z]{4}) (\d+\.\d+) (.*)$/.exec(rest) ?? []
    return [flow && step && text ? { topic, flow, step, text } : { topic, text: rest }]
  })
