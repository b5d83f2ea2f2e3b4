/** One of many people; all names are equally long, so that all answers are. */
export const personOf = (index) => {
  const id = String(index).padStart(6, "0")
  return { id, name: `Person ${id}`, email: `person-${id}@example.com` }
}

/** What the variants that read the same sealed cookie have in common. */
export const SECRET = "a secret of more than thirty-two characters"
export const COOKIE = "authjs.session-token"
