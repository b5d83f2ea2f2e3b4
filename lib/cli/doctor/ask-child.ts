import { fork } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Diagnosis, Task } from "./child.js"
import { isTypeScript } from "./find-module.js"
import { createMask } from "./mask.js"

/** Longer than all checks together, which have their own timeouts. */
const TIMEOUT_MS = 60_000
/** The length of the output to keep. It is longer than the reported one, so that no secret is cut before it is masked. */
const MAX_OUTPUT_LENGTH = 20_000
const MAX_MESSAGE_LENGTH = 2_000

/** The arguments that load TypeScript with tsx, if Node.js can't and the project has tsx. */
function loaderArgs({ modules, folder }: Task): string[] {
  if (!modules.some(isTypeScript) || Reflect.get(process.features, "typescript")) return []
  try {
    const tsx = createRequire(join(folder, "package.json")).resolve("tsx")
    return ["--import", pathToFileURL(tsx).href]
  } catch {
    return []
  }
}

/**
 * Loads and checks an application in a child process, and then kills the process with everything that it started.
 *
 * @throws Error with the last output of the process if it ends before it has answered
 */
export function askChild(task: Task, env: NodeJS.ProcessEnv): Promise<Diagnosis> {
  const path = fileURLToPath(new URL("./doctor-child.js", import.meta.url))
  const child = fork(path, [], {
    cwd: task.folder,
    env,
    execArgv: loaderArgs(task),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT_LENGTH)
    })
  const mask = createMask(Object.entries(env))
  const lastOutput = () => mask(output).trim().slice(-MAX_MESSAGE_LENGTH)
  const answered = new Promise<Diagnosis>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not finished within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS)
    child.on("error", reject)
    child.on("message", (message) => {
      const diagnosis: unknown = Reflect.get(Object(message), "diagnosis")
      // This message comes from our own code; messages of the application have another shape.
      if (diagnosis) resolve(diagnosis as Diagnosis)
      const failure: unknown = Reflect.get(Object(message), "failure")
      if (typeof failure === "string") reject(new Error(`the configuration can't be read: ${mask(failure)}`))
    })
    child.on("close", (code) => reject(new Error(`the application ended with exit code ${code}: ${lastOutput()}`)))
    child.on("close", () => clearTimeout(timer))
    child.send(task)
  })
  return answered.finally(() => child.kill("SIGKILL"))
}
