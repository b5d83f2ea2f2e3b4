/** One of many users. All names have the same length, so that all responses do. */
export const personOf = (index) => {
  const id = String(index).padStart(6, "0")
  return { id, name: `Person ${id}`, email: `person-${id}@example.com` }
}

/** Constants of the variants that read the same encrypted cookie. */
export const SECRET = "a secret of more than thirty-two characters"
export const COOKIE = "authjs.session-token"

/** The number of sessions in a database. */
export const SESSIONS = 1_000

/** As long as a random token. */
export const sessionTokenOf = (index) =>
  Buffer.from(`a session token of 32 bytes ${personOf(index).id}`).toString("base64url")
