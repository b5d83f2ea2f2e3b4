import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { cpSync } from "node:fs"
import { join } from "node:path"
import type { OIDCConfig } from "../../../lib/providers/provider.js"
import { Project } from "../../cli/support/project.js"
import { FORMATS, type Format, FRAMEWORKS, type Framework } from "./parties.js"

/** The folder of a person who has installed the package, with an application for each format. */
export function createProject(): Project {
  const project = new Project(["cookie", "ejs", "jose", "oauth4webapi", ...Object.values(FRAMEWORKS)])
  for (const file of ["application.cjs", ...Object.values(FORMATS)])
    cpSync(join(__dirname, file), join(project.folder, file))
  return project
}

/** The built package in a process of its own, which begins a new application whenever it is asked to. */
export class RelyingParty {
  readonly #process: ChildProcess
  readonly #ended: Promise<never>

  constructor(project: Project, format: Format, framework: Framework) {
    const { PATH } = process.env
    this.#process = fork(join(project.folder, FORMATS[format]), [FRAMEWORKS[framework]], {
      cwd: project.folder,
      // Nothing that Jest has set, NODE_ENV above all.
      env: { PATH },
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    })
    this.#ended = once(this.#process, "exit").then(([code]) => {
      throw new Error(`the application ended with ${code}`)
    })
    this.#ended.catch(() => {})
  }

  /** The address of a new application that knows this provider alone. */
  async serve(provider: OIDCConfig): Promise<string> {
    const answered = once(this.#process, "message")
    this.#process.send(provider)
    const [origin] = await Promise.race([answered, this.#ended])
    return String(origin)
  }

  async stop(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect()
    await this.#ended.catch(() => {})
  }
}
