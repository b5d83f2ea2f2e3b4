/**
 * A secret for development, created at the first start and stored beside the database, so that open pages and sent
 * links still work after a restart. In production set AUTH_SECRET instead.
 */
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"

/** Returns the secret in the file, and creates the file if it is missing. */
export function localSecret(databaseFile) {
  const fresh = randomBytes(33).toString("base64")
  if (databaseFile === ":memory:") return fresh
  const file = `${databaseFile}.secret`
  try {
    // "wx" never overwrites; with mode 600 only this user can read it.
    writeFileSync(file, fresh, { flag: "wx", mode: 0o600 })
    return fresh
  } catch (error) {
    if (error.code !== "EEXIST") throw error
    return readFileSync(file, "utf8").trim()
  }
}
