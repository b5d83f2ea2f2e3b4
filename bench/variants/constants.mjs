/** One of many people; all names are equally long, so that all answers are. */
export const personOf = (index) => {
  const id = String(index).padStart(6, "0")
  return { id, name: `Person ${id}`, email: `person-${id}@example.com` }
}

/** What the variants that read the same sealed cookie have in common. */
export const SECRET = "a secret of more than thirty-two characters"
export const COOKIE = "authjs.session-token"

/** How many sessions a store has. */
export const SESSIONS = 1_000

/** As long as a token that is made by chance. */
export const sessionTokenOf = (index) =>
  Buffer.from(`a session token of 32 bytes ${personOf(index).id}`).toString("base64url")
