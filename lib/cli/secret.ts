import { randomBytes } from "node:crypto"
import { statSync } from "node:fs"
import { defineCommand, type Result, UsageError } from "./command.js"
import { hasValue, withValue } from "./env-file.js"
import { isIgnoredByGit, isTrackedByGit, readText, writeAtomically } from "./files.js"

const NAME = "AUTH_SECRET"
const DEFAULT_FILE = ".env"

/** A key needs 32 bytes. The Base64 form of 33 bytes has no "=" padding. */
const SECRET_BYTES = 33

/** Creates a random secret. */
export const createSecret = (): string => randomBytes(SECRET_BYTES).toString("base64")

function writeSecret(file: string): void {
  const text = readText(file)
  if (hasValue(text, NAME))
    throw new Error(
      `${NAME} is already set in ${file} and was not changed: a new secret signs all users out. To change it without signing users out, see "Changing the secret" in docs/sessions.md`,
    )
  const secret = createSecret()
  const changed = withValue(text, NAME, secret)
  if (changed === undefined)
    throw new Error(`${file} has a line with an incomplete value, and was not changed: fix that line first`)
  writeAtomically(file, changed, 0o600)
}

/** Returns warnings about a file with a secret: git tracks or does not ignore the file, or other users can read it. */
export function listWarnings(file: string): string[] {
  const warnings: string[] = []
  if (isTrackedByGit(file))
    warnings.push(
      `git tracks ${file}, so the secret would be committed: run git rm --cached ${file}, and add it to .gitignore. A file that was pushed stays in the history: change its secrets`,
    )
  else if (isIgnoredByGit(file) === false)
    warnings.push(`git does not ignore ${file}: add it to .gitignore, because it contains a secret`)
  const mode = statSync(file).mode & 0o777
  if (process.platform !== "win32" && (mode & 0o007) !== 0)
    warnings.push(
      `${file} has the mode 0${mode.toString(8)}, so other users of this machine can read the secret: chmod 600 ${file}`,
    )
  return warnings
}

function toResult(file: string): Result {
  const warnings = listWarnings(file)
  const lines = [`latchkey: wrote ${NAME} into ${file}`, ...warnings.map((warning) => `latchkey: ${warning}`)]
  return { json: { file, variable: NAME, warnings }, text: lines.join("\n") }
}

/** `npx latchkey secret` */
export const secretCommand = defineCommand({
  summary: "creates a secret, and can write it into .env",
  about: "Creates a secret. Prints it, or writes it into a file as AUTH_SECRET.",
  more: "An existing secret and the rest of the file are not changed. A new file is readable only by you.",
  options: {
    write: { type: "boolean", help: "write it into the file instead of printing it" },
    file: { type: "string", value: "PATH", help: `the file; default: ${DEFAULT_FILE}` },
  },
  async run({ values: { write, file } }) {
    if (file !== undefined && !write)
      throw new UsageError("--file needs --write: npx latchkey secret --write --file PATH")
    if (!write) {
      const secret = createSecret()
      return { json: { secret }, text: secret }
    }
    const path = file ?? DEFAULT_FILE
    writeSecret(path)
    return toResult(path)
  },
})
