import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

/** The exit code and the output of a process. */
export interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The folder to run in, relative to the project. @default the project's own */
  readonly in?: string
}

/** A user's project with the built package in node_modules, beside other installed packages. */
export class Project {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "latchkey-cli-")))

  /** Also installs the dependencies of the package. */
  constructor(installed: readonly string[]) {
    const modules = join(this.folder, "node_modules")
    mkdirSync(join(modules, "latchkey"), { recursive: true })
    for (const part of ["dist", "docs", "views", "package.json"])
      cpSync(part, join(modules, "latchkey", part), { recursive: true })
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"))
    for (const name of new Set([...Object.keys(dependencies), ...installed])) {
      mkdirSync(dirname(join(modules, name)), { recursive: true })
      symlinkSync(resolve("node_modules", name), join(modules, name))
    }
    mkdirSync(join(modules, ".bin"))
    symlinkSync("../latchkey/dist/cli.js", join(modules, ".bin", "latchkey"))
    writeFileSync(join(this.folder, "package.json"), `{ "private": true }`)
  }

  /** Runs the command directly, without the overhead of npx. */
  latchkey(args: readonly string[], options?: RunOptions): Promise<Outcome> {
    return this.run(join(this.folder, "node_modules", ".bin", "latchkey"), args, options)
  }

  /** Runs an ES module with Node.js. */
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
