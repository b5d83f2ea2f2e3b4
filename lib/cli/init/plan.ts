import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readText, writeAtomically } from "../files.js"
import { authFile } from "./auth-file.js"
import type { Choices } from "./choices.js"
import { envText } from "./env-lines.js"
import { type Project, sourceFolder } from "./project.js"
import { serverFile, serverLines } from "./server-file.js"
import { type Dialect, sourceDialect } from "./source.js"

/** A planned file, with its new text. */
export interface PlannedFile {
  readonly path: string
  readonly text: string
  /** The text to print. For `.env` and `.gitignore` only the added lines, without the values of variables in `.env`. */
  readonly printable: string
  /** "new": the file is created. "extended": lines are added to an existing file. "exists": the file is not changed. */
  readonly status: "new" | "extended" | "exists"
  /** True if only the owner may read the new file. */
  readonly isSecret?: boolean
}

/** What the command will write and report. */
export interface Plan {
  readonly files: readonly PlannedFile[]
  /** The lines to add to an existing application. */
  readonly lines?: { readonly path: string; readonly text: string }
  /** The path of the application's entry file; absent if unknown. */
  readonly server?: string
  /** True if the command writes `server`. */
  readonly isNewServer: boolean
  /** The resulting text of `.env`. */
  readonly env: string
}

const newFile = (path: string, text: string): PlannedFile => ({
  path,
  text,
  printable: text,
  status: existsSync(path) ? "exists" : "new",
})

/** Returns the lines of `after` that `before` does not have. With `isSecret`, the values of variables are masked. */
function addedLines(before: string, after: string, isSecret: boolean): string {
  const existing = new Set(before.split(/\r?\n/))
  const added = after.split(/\r?\n/).filter((line) => line !== "" && !existing.has(line))
  const masked = (line: string) => line.replace(/^([^#=]+=)[^\n]+$/, "$1[masked]")
  return `${(isSecret ? added.map(masked) : added).join("\n")}\n`
}

function planExtended(path: string, text: string, after: string): readonly PlannedFile[] {
  if (text === after) return []
  const isSecret = path === ".env"
  const status = existsSync(path) ? "extended" : "new"
  return [{ path, text: after, printable: addedLines(text, after, isSecret), status, isSecret }]
}

function gitignoreText(text: string, { session }: Choices): string {
  const required = [...(text === "" ? ["node_modules"] : []), ".env", ...(session === "sqlite" ? ["auth.db*"] : [])]
  const lines = new Set(text.split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/$/g, "")))
  const missing = required.filter((line) => !lines.has(line))
  if (missing.length === 0) return text
  const end = text.includes("\r\n") ? "\r\n" : "\n"
  return text + (text === "" || text.endsWith("\n") ? "" : end) + missing.map((line) => line + end).join("")
}

function planCode(choices: Choices, project: Project, dialect: Dialect): Omit<Plan, "env"> {
  const auth = newFile(join(sourceFolder(project), `auth${dialect.extension}`), authFile(choices, dialect))
  const text = serverFile(choices, dialect)
  const { server } = project
  if (!server && text !== undefined) {
    const path = `server${dialect.extension}`
    return { files: [auth, newFile(path, text)], server: path, isNewServer: true }
  }
  const lines = { path: server ?? "your application", text: serverLines(choices, dialect) }
  return { files: [auth], lines, ...(server && { server }), isNewServer: false }
}

/** Plans the files without writing them. */
export function createPlan(choices: Choices, project: Project, values: { baseUrl: string; secret: string }): Plan {
  const code = planCode(choices, project, sourceDialect(choices.language, project))
  const [before, gitignore] = [readText(".env"), readText(".gitignore")]
  const env = envText(before, { choices, ...values })
  const extendedFiles = [
    ...planExtended(".env", before, env),
    ...planExtended(".gitignore", gitignore, gitignoreText(gitignore, choices)),
  ]
  return { ...code, files: [...code.files, ...extendedFiles], env }
}

/** Writes one file, and returns a function that reverts the write. */
function write({ path, text, status, isSecret }: PlannedFile): () => void {
  if (status === "new") {
    // "wx" fails if the file was created in the meantime.
    writeFileSync(path, text, { flag: "wx", mode: isSecret ? 0o600 : 0o644 })
    return () => rmSync(path, { force: true })
  }
  const before = readFileSync(path, "utf8")
  writeAtomically(path, text)
  return () => writeAtomically(path, before)
}

/**
 * Writes all planned files. If a write fails, reverts the files written before and throws. Ctrl-C has no effect in the
 * meantime.
 */
export function writeFiles(files: readonly PlannedFile[]): void {
  const ignore = () => undefined
  const undo: (() => void)[] = []
  process.on("SIGINT", ignore)
  try {
    for (const file of files) if (file.status !== "exists") undo.push(write(file))
  } catch (error) {
    for (const revert of undo.reverse()) revert()
    throw error
  } finally {
    process.off("SIGINT", ignore)
  }
}
