/**
 * A secret for development, made at the first start and kept beside the database: pages that are open and links that
 * were sent still work after a restart. In production set AUTH_SECRET; nothing of this belongs there.
 */
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"

/** The secret in the file, which is written when it is missing. */
export function localSecret(databaseFile) {
  const fresh = randomBytes(33).toString("base64")
  if (databaseFile === ":memory:") return fresh
  const file = `${databaseFile}.secret`
  try {
    // "wx" never overwrites; 600 is for this user alone.
    writeFileSync(file, fresh, { flag: "wx", mode: 0o600 })
    return fresh
  } catch (error) {
    if (error.code !== "EEXIST") throw error
    return readFileSync(file, "utf8").trim()
  }
}
