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

/** The paths at which the module is searched, without the extension. */
export const MODULE_PATHS = ["auth", "auth.config", "src/auth", "src/auth.config", "lib/auth"]
export const MODULE_EXTENSIONS = ["js", "mjs", "cjs", "ts", "mts", "cts"]

/**
 * Time limit of the task "check". It is longer than the time limits of loading, of the requests to the site and of one
 * check together. All checks run concurrently.
 */
const CHECK_TIMEOUT_MS = 60_000
/**
 * Limits the characters of the module's output that are kept. The kept output may begin with a truncated secret, which
 * is not masked. It is never reported, because only the last `MAX_SEEN_LENGTH` characters are reported.
 */
const MAX_OUTPUT_LENGTH = 20_000
const MAX_SEEN_LENGTH = 2_000

/**
 * Returns the path of the given module. If none is given, returns the path of the first module that exists at
 * `MODULE_PATHS`, or undefined if no module exists.
 *
 * @throws UsageError if the given module does not exist
 */
export function findModule(given: string | undefined): string | undefined {
  const files = MODULE_PATHS.flatMap((path) => MODULE_EXTENSIONS.map((extension) => `${path}.${extension}`))
  if (given === undefined) return files.find((file) => existsSync(file))
  if (existsSync(given)) return relative("", given)
  // Users may forget `--postgres` before the URL of a database, so the argument may contain a password.
  throw new UsageError(`there is no file ${JSON.stringify(redactAddress(given))}`)
}

/** Returns the finding for a process that ended, or reached the time limit, without an answer. */
function noAnswerFinding(file: string, seen: string): GroupedFinding {
  const cause = "The process in which the module was loaded did not answer"
  return moduleFinding(file, {
    cause,
    seen,
    fix: `export only the configuration from ${file}, and start the application in another file`,
  })
}

/**
 * Runs a task in a child process that loads the module. Then kills the process, and so everything that the module
 * started.
 */
export function runTask(file: string, task: ConfigTask, env: NodeJS.ProcessEnv): Promise<ConfigAnswer> {
  const path = fileURLToPath(new URL("./config-child.js", import.meta.url))
  const child = fork(path, [], { env, stdio: ["ignore", "pipe", "pipe", "ipc"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT_LENGTH)
    })
  const mask = createMask(Object.entries(env))
  const answered = new Promise<ConfigAnswer>((resolveAnswer, reject) => {
    const reportNoAnswer = (seen: string) =>
      resolveAnswer({
        finding: noAnswerFinding(file, `${seen}\n${mask(output).trim().slice(-MAX_SEEN_LENGTH)}`.trim()),
      })
    // A migration has no time limit, because it must not be interrupted.
    const timer =
      task.name === "check" &&
      setTimeout(() => reportNoAnswer(`no answer within ${CHECK_TIMEOUT_MS / 1000} s`), CHECK_TIMEOUT_MS)
    child.on("error", reject)
    child.on("message", (message) => {
      const answer: unknown = Reflect.get(Object(message), "answer")
      // Only config-child.ts sends a message with `answer`. The module may send other messages.
      if (answer) resolveAnswer(answer as ConfigAnswer)
    })
    child.on("close", (code, signal) => {
      if (timer) clearTimeout(timer)
      reportNoAnswer(signal ? `ended by ${signal}` : `ended with exit code ${code}`)
    })
    const request: ConfigRequest = { module: resolve(file), task }
    child.send(request)
  })
  return answered.finally(() => child.kill("SIGKILL"))
}
