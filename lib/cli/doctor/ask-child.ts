import { fork } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Diagnosis, Task } from "./child.js"
import { isTypeScript } from "./find-module.js"
import { createMask } from "./mask.js"

/** Longer than everything within takes, which has bounds of its own. */
const PATIENCE_MS = 60_000
/** Kept, so that no secret is cut before it is masked; and told of it. */
const MAX_KEPT = 20_000
const MAX_TOLD = 2_000

/** What it takes to load TypeScript where Node.js does not by itself: tsx, if the project has it. */
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
 * Has an application loaded and looked at in a process of its own, which is ended afterwards with all that it began.
 *
 * @throws Error with the last that it wrote, when it ends before it has answered
 */
export function askChild(task: Task, env: NodeJS.ProcessEnv): Promise<Diagnosis> {
  const path = fileURLToPath(new URL("./doctor-child.js", import.meta.url))
  const child = fork(path, [], {
    cwd: task.folder,
    env,
    execArgv: loaderArgs(task),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  })
  let written = ""
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      written = (written + text).slice(-MAX_KEPT)
    })
  const mask = createMask(Object.entries(env))
  const lastWords = () => mask(written).trim().slice(-MAX_TOLD)
  const answered = new Promise<Diagnosis>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no end within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
    child.on("error", reject)
    child.on("message", (message) => {
      const diagnosis: unknown = Reflect.get(Object(message), "diagnosis")
      // Sent by our own process; the application's messages have another shape.
      if (diagnosis) resolve(diagnosis as Diagnosis)
      const failure: unknown = Reflect.get(Object(message), "failure")
      if (typeof failure === "string") reject(new Error(`the configuration can't be read: ${mask(failure)}`))
    })
    child.on("close", (code) => reject(new Error(`the application ended with ${code}: ${lastWords()}`)))
    child.on("close", () => clearTimeout(late))
    child.send(task)
  })
  return answered.finally(() => child.kill("SIGKILL"))
}
