import { existsSync } from "node:fs"
import { join } from "node:path"
import { readText } from "../files.js"
import { authFile } from "./auth-file.js"
import type { Choices } from "./choices.js"
import { envText } from "./env-lines.js"
import { folderOf, type Project } from "./project.js"
import { serverFile, serverLines } from "./server-file.js"
import { type Dialect, dialectOf } from "./source.js"

/** A file as it is to be; one that is there is changed by adding to it, or not at all. */
export interface PlannedFile {
  readonly path: string
  readonly text: string
  /** The text that may be shown: only the lines that are added, and of a secret file no values. */
  readonly shown: string
  readonly status: "new" | "added to" | "there already"
  /** For a new file: one that nobody else may read. */
  readonly isSecret?: boolean
}

/** Everything that comes of the choices, before anything is written. */
export interface Plan {
  readonly files: readonly PlannedFile[]
  /** For the application that is there. */
  readonly lines?: { readonly path: string; readonly text: string }
  /** What is started; absent where it is not known. */
  readonly server?: string
  /** It is among the files. */
  readonly isNewServer: boolean
  /** The text of `.env` as it will be. */
  readonly env: string
}

const newFile = (path: string, text: string): PlannedFile => ({
  path,
  text,
  shown: text,
  status: existsSync(path) ? "there already" : "new",
})

/** The lines of a text that another does not have, without the values of variables where they may be secret. */
function addedLines(before: string, after: string, isSecret: boolean): string {
  const present = new Set(before.split(/\r?\n/))
  const added = after.split(/\r?\n/).filter((line) => line !== "" && !present.has(line))
  const masked = (line: string) => line.replace(/^([^#=]+=)[^\n]+$/, "$1[masked]")
  return `${(isSecret ? added.map(masked) : added).join("\n")}\n`
}

/** A file of lines that are added to. */
function grown(path: string, text: string, after: string): readonly PlannedFile[] {
  if (text === after) return []
  const isSecret = path === ".env"
  const status = existsSync(path) ? "added to" : "new"
  return [{ path, text: after, shown: addedLines(text, after, isSecret), status, isSecret }]
}

function ignoreText(text: string, { session }: Choices): string {
  const wanted = [...(text === "" ? ["node_modules"] : []), ".env", ...(session === "sqlite" ? ["auth.db*"] : [])]
  const lines = new Set(text.split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/$/g, "")))
  const missing = wanted.filter((line) => !lines.has(line))
  if (missing.length === 0) return text
  const end = text.includes("\r\n") ? "\r\n" : "\n"
  return text + (text === "" || text.endsWith("\n") ? "" : end) + missing.map((line) => line + end).join("")
}

function codeFor(choices: Choices, project: Project, dialect: Dialect): Omit<Plan, "env"> {
  const auth = newFile(join(folderOf(project), `auth${dialect.extension}`), authFile(choices, dialect))
  const text = serverFile(choices, dialect)
  const { server } = project
  if (!server && text !== undefined) {
    const path = `server${dialect.extension}`
    return { files: [auth, newFile(path, text)], server: path, isNewServer: true }
  }
  const lines = { path: server ?? "your application", text: serverLines(choices, dialect) }
  return { files: [auth], lines, ...(server && { server }), isNewServer: false }
}

/** What would be written: nothing is yet. */
export function planFor(choices: Choices, project: Project, secrets: { site: string; secret: string }): Plan {
  const code = codeFor(choices, project, dialectOf(choices.language, project))
  const [before, ignored] = [readText(".env"), readText(".gitignore")]
  const env = envText(before, { choices, ...secrets })
  const grownFiles = [...grown(".env", before, env), ...grown(".gitignore", ignored, ignoreText(ignored, choices))]
  return { ...code, files: [...code.files, ...grownFiles], env }
}
