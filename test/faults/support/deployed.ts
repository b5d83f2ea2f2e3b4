/**
 * An application in its own process, which is stopped and killed.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Redis } from "ioredis"
import { TEST_SECRET } from "../../support/apps.js"
import { Browser } from "../../support/browser.js"
import type { FaultyProvider } from "../../support/faulty-provider.js"
import { overNetwork } from "../../support/network.js"
import { listKeys, redisUrl } from "../../support/stores/redis.js"
import type { SqlStore } from "../../support/stores/sql.js"
import { type Counts, uniqueName } from "../../support/stores/store.js"
import { until } from "../../support/wait.js"

const ROOT = resolve(__dirname, "../../..")
const read = (file: string) => readFileSync(join(ROOT, file), "utf8")

/** The code block of docs/deployment.md that contains a text. */
function documented(text: string): string {
  const blocks = [...read("docs/deployment.md").matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code)
  const found = blocks.find((code) => code.includes(text))
  if (found) return found
  throw new Error(`docs/deployment.md has no code with ${text}`)
}

const sourceOf = (file: string) =>
  [
    read(`test/faults/support/${file}`),
    documented("SIGTERM"),
    'server.once("listening", () => console.log("at port", server.address().port))',
  ].join("\n")

/** The storage of an application. */
export interface Storage {
  /** The storage as `site.js` reads it. */
  readonly json: string
  counts(): Promise<Counts>
  drop(): Promise<void>
}

export async function createSqlStorage(store: SqlStore): Promise<Storage> {
  const { database, counts, close } = await store.create()
  return { json: JSON.stringify(database.place), counts, drop: close }
}

export async function createRedisStorage(): Promise<Storage> {
  const prefix = `${uniqueName()}:`
  const redis = new Redis(redisUrl)
  const count = async (kind: string) => (await listKeys(redis, `${prefix}${kind}:`)).length
  return {
    json: JSON.stringify({ redis: redisUrl, prefix }),
    counts: async () => ({
      users: await count("user"),
      accounts: await count("account"),
      sessions: await count("session"),
      links: await count("token"),
    }),
    async drop() {
      const left = await listKeys(redis, prefix)
      if (left.length > 0) await redis.del(left)
      await redis.quit()
    },
  }
}

const ORIGIN = "http://app.test"
const SETTINGS = /^(AUTH_|NEXTAUTH_|NODE_ENV$|NODE_OPTIONS$|PORT$)/

interface DeployedOptions {
  /** The application, a file of this folder. @default "site.js" */
  readonly file?: string
  /** More variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** A site whose process is restarted while its address stays the same. */
export class Deployed {
  readonly #op: FaultyProvider
  readonly #place: Pick<Storage, "json">
  readonly #options: DeployedOptions
  #child: ChildProcess | undefined
  /** The address of the current process. */
  address = ""

  constructor(op: FaultyProvider, place: Pick<Storage, "json">, options: DeployedOptions = {}) {
    this.#op = op
    this.#place = place
    this.#options = options
  }

  async start(): Promise<this> {
    const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTINGS.test(name)))
    const { issuer, client } = this.#op
    const settings = {
      ...{ AUTH_URL: ORIGIN, AUTH_SECRET: TEST_SECRET, PLACE: this.#place.json, PORT: "0" },
      ...{ AUTH_OIDC_ISSUER: issuer, AUTH_OIDC_ID: client.clientId, AUTH_OIDC_SECRET: client.clientSecret },
    }
    const { file = "site.js", env } = this.#options
    const child = spawn(process.execPath, ["--input-type=module", "--eval", sourceOf(file)], {
      cwd: ROOT,
      env: { ...own, ...settings, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
    const portIn = () => /at port (\d+)\n/.exec(output)?.[1]
    await until(() => portIn() ?? child.exitCode !== null, 30_000)
    if (child.exitCode !== null) throw new Error(`the application ended with ${child.exitCode}:\n${output}`)
    this.#child = child
    this.address = `http://127.0.0.1:${portIn()}`
    return this
  }

  /** Sends a signal, and returns the exit code when the process has exited. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const exited = once(child, "exit")
    child.kill(signal)
    await exited
    return child.exitCode
  }

  /** Stops the process for some time, as a machine that is suspended does. */
  suspend(): void {
    this.#child?.kill("SIGSTOP")
  }

  resume(): void {
    this.#child?.kill("SIGCONT")
  }

  browser(): Browser {
    return new Browser({ origin: ORIGIN, send: (request) => overNetwork(request, this.address) })
  }
}
