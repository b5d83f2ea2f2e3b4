import { randomBytes } from "node:crypto"
import { statSync } from "node:fs"
import { defineCommand, type Result, UsageError } from "./command.js"
import { hasValue, withValue } from "./env-file.js"
import { isIgnoredByGit, isTrackedByGit, readText, writeWhole } from "./files.js"

const NAME = "AUTH_SECRET"
const DEFAULT_FILE = ".env"

/** More than the 32 bytes that the keys have, and a length that Base64 writes without an end of "=". */
const SECRET_BYTES = 33

/** A secret that nobody can guess. */
export const createSecret = (): string => randomBytes(SECRET_BYTES).toString("base64")

/** Writes a secret where there is none yet. */
function writeSecret(file: string): void {
  const text = readText(file)
  if (hasValue(text, NAME))
    throw new Error(
      `${NAME} is set in ${file}, and was left as it is: with another everybody is signed out. How to change it without that says "Changing the secret" in docs/sessions.md`,
    )
  const secret = createSecret()
  const changed = withValue(text, NAME, secret)
  if (changed === undefined)
    throw new Error(`${file} has a line that ends in the middle of a value, and was left as it is: mend it first`)
  writeWhole(file, changed, 0o600)
}

/** What is wrong with where a secret was put. */
export function warningsAbout(file: string): string[] {
  return [...gitWarnings(file), ...modeWarnings(file)]
}

function gitWarnings(file: string): string[] {
  if (isTrackedByGit(file))
    return [
      `git tracks ${file}, so the secret would be committed: run git rm --cached ${file}, and add it to .gitignore. A file that was pushed before stays in the history: change what it holds`,
    ]
  return isIgnoredByGit(file) === false ? [`git does not ignore ${file}: add it to .gitignore, it holds a secret`] : []
}

function modeWarnings(file: string): string[] {
  const mode = statSync(file).mode & 0o777
  if (process.platform === "win32" || (mode & 0o007) === 0) return []
  return [
    `${file} has the mode 0${mode.toString(8)}, so other users of this machine can read the secret: chmod 600 ${file}`,
  ]
}

function toResult(file: string): Result {
  const warnings = warningsAbout(file)
  const lines = [`latchkey: wrote ${NAME} into ${file}`, ...warnings.map((warning) => `latchkey: ${warning}`)]
  return { json: { file, variable: NAME, warnings }, text: lines.join("\n") }
}

/** `npx latchkey secret` */
export const secretCommand = defineCommand({
  summary: "makes a secret, and writes it into .env",
  about: "Makes a secret: shows it, or writes it into a file as AUTH_SECRET.",
  more: "The rest of the file stays as it is, and so does a secret that is there. A new file can be read by you alone.",
  options: {
    write: { type: "boolean", help: "writes it into the file, and does not show it" },
    file: { type: "string", value: "PATH", help: `the file, in place of ${DEFAULT_FILE}` },
  },
  async run({ values: { write, file } }) {
    if (file !== undefined && !write)
      throw new UsageError("--file is for --write: npx latchkey secret --write --file PATH")
    if (!write) {
      const secret = createSecret()
      return { json: { secret }, text: secret }
    }
    const path = file ?? DEFAULT_FILE
    writeSecret(path)
    return toResult(path)
  },
})
