import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

/** How a process ended, and what it wrote. */
export interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Folder of the project to run in. @default the project's own */
  readonly in?: string
}

/** A project of a user: the built package where npm would put it, beside the packages that the user has installed. */
export class Project {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "latchkey-cli-")))

  constructor(installed: readonly string[]) {
    const modules = join(this.folder, "node_modules")
    mkdirSync(join(modules, "latchkey"), { recursive: true })
    for (const part of ["dist", "views", "package.json"])
      cpSync(part, join(modules, "latchkey", part), { recursive: true })
    for (const name of installed) {
      mkdirSync(dirname(join(modules, name)), { recursive: true })
      symlinkSync(resolve("node_modules", name), join(modules, name))
    }
    mkdirSync(join(modules, ".bin"))
    symlinkSync("../latchkey/dist/cli.js", join(modules, ".bin", "latchkey"))
    writeFileSync(join(this.folder, "package.json"), `{ "private": true }`)
  }

  /** `npx latchkey`, without what npm itself takes of the time. */
  latchkey(args: readonly string[], options?: RunOptions): Promise<Outcome> {
    return this.run(join(this.folder, "node_modules", ".bin", "latchkey"), args, options)
  }

  /** Runs a program of ES modules with Node.js. */
  node(text: string, args: readonly string[] = []): Promise<Outcome> {
    const file = `${crypto.randomUUID()}.mjs`
    writeFileSync(join(this.folder, file), text)
    return this.run(process.execPath, [file, ...args])
  }

  run(command: string, args: readonly string[], { env = {}, in: folder = "." }: RunOptions = {}): Promise<Outcome> {
    const { PATH, HOME } = process.env
    const child = spawn(command, args, { cwd: join(this.folder, folder), env: { PATH, HOME, ...env } })
    let [out, err] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text
    })
    return new Promise((done, fail) => child.on("error", fail).on("close", (code) => done({ code, out, err })))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
