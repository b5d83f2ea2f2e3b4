/**
 * Finds the module that exports the configuration, and loads it in a child process.
 *
 * @module
 */
import { fork } from "node:child_process"
import { existsSync } from "node:fs"
import { relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { UsageError } from "./command.js"
import type { ConfigAnswer, ConfigRequest, ConfigTask } from "./config-child.js"
import { type GroupedFinding, moduleFinding } from "./doctor/check.js"
import { createMask } from "./doctor/mask.js"
import { redactAddress } from "./text.js"

/** The usual places of the module, without the extension. */
export const PLACES = ["auth", "auth.config", "src/auth", "src/auth.config", "lib/auth"]
export const EXTENSIONS = ["js", "mjs", "cjs", "ts", "mts", "cts"]

/** Longer than all checks together, which have their own timeouts. */
const TIMEOUT_MS = 60_000
/** The length of the output to keep. It is longer than the reported one, so that no secret is cut before it is masked. */
const MAX_OUTPUT_LENGTH = 20_000
const MAX_SEEN_LENGTH = 2_000

/**
 * Returns the given module, or the first one at the usual places.
 *
 * @throws UsageError if the given module does not exist
 */
export function findModule(given: string | undefined): string | undefined {
  const files = PLACES.flatMap((place) => EXTENSIONS.map((extension) => `${place}.${extension}`))
  if (given === undefined) return files.find((file) => existsSync(file))
  if (existsSync(given)) return relative("", given)
  // The argument may be an address with a password, if the user forgot the option before it.
  throw new UsageError(`there is no file ${JSON.stringify(redactAddress(given))}`)
}

/** The finding about a module that ended the process, or kept it from answering. */
function unfinished(file: string, seen: string): GroupedFinding {
  const cause = "The process in which the module was loaded did not answer"
  return moduleFinding(file, {
    cause,
    seen,
    fix: `let ${file} only export the configuration, and start the application in another file`,
  })
}

/** Loads a module and runs a task in a child process, and then kills the process with everything that it started. */
export function runTask(file: string, task: ConfigTask, env: NodeJS.ProcessEnv): Promise<ConfigAnswer> {
  const path = fileURLToPath(new URL("./config-child.js", import.meta.url))
  const child = fork(path, [], { env, stdio: ["ignore", "pipe", "pipe", "ipc"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT_LENGTH)
    })
  const mask = createMask(Object.entries(env))
  const answered = new Promise<ConfigAnswer>((done, reject) => {
    const end = (seen: string) =>
      done({ finding: unfinished(file, `${seen}\n${mask(output).trim().slice(-MAX_SEEN_LENGTH)}`.trim()) })
    // A migration is not interrupted.
    const timer = task.name === "check" && setTimeout(() => end(`no answer within ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS)
    child.on("error", reject)
    child.on("message", (message) => {
      const answer: unknown = Reflect.get(Object(message), "answer")
      // This message comes from our own code; messages of the module have another shape.
      if (answer) done(answer as ConfigAnswer)
    })
    child.on("close", (code, signal) => {
      if (timer) clearTimeout(timer)
      end(signal ? `ended by ${signal}` : `ended with exit code ${code}`)
    })
    const request: ConfigRequest = { module: resolve(file), task }
    child.send(request)
  })
  return answered.finally(() => child.kill("SIGKILL"))
}
