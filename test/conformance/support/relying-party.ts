import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { cpSync } from "node:fs"
import { join } from "node:path"
import type { OIDCConfig } from "../../../lib/provider-kit/provider.js"
import { Project } from "../../cli/support/project.js"
import { FORMATS, type Format, FRAMEWORKS, type Framework } from "./parties.js"

/** A project with the installed package and an application for each module format. */
export function createProject(): Project {
  const project = new Project([...Object.values(FRAMEWORKS)])
  for (const file of ["application.cjs", ...Object.values(FORMATS)])
    cpSync(join(__dirname, file), join(project.folder, file))
  return project
}

/** The built package in its own process, which starts new applications on request. */
export class RelyingParty {
  readonly #process: ChildProcess
  readonly #ended: Promise<never>

  constructor(project: Project, format: Format, framework: Framework) {
    const { PATH } = process.env
    this.#process = fork(join(project.folder, FORMATS[format]), [FRAMEWORKS[framework]], {
      cwd: project.folder,
      // Excludes variables that Jest sets, such as NODE_ENV.
      env: { PATH },
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    })
    this.#ended = once(this.#process, "exit").then(([code]) => {
      throw new Error(`the application ended with ${code}`)
    })
    this.#ended.catch(() => {})
  }

  /** Starts a new application with only this provider; returns its address. */
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
