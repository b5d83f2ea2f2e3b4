/** Where an id may be: beside what wraps it. */
const MAX_DEPTH = 4

/** Does it stand somewhere in the answer, as a number or as a text, whichever is asked for? */
function holds(value: unknown, isIt: (value: unknown) => boolean, depth = MAX_DEPTH): boolean {
  if (isIt(value)) return true
  return depth > 0 && typeof value === "object" && value !== null
    ? Object.values(value).some((inner) => holds(inner, isIt, depth - 1))
    : false
}

/** As long as the shortest that is not exact: an id may be made of a number and more, a tenant's name for instance. */
const LONG_NUMBER = /\d{16,}/g

/**
 * Was the id, or a part of it, a number that stands for its neighbours as well? JSON's numbers are read as doubles
 * (RFC 8259 §6): beyond 2⁵³ two people have one, and would be one user here.
 *
 * @param profile the answer that the id was taken from
 */
export function isInexactId(id: string, profile: object): boolean {
  return [id, ...(id.match(LONG_NUMBER) ?? [])].some((part) => {
    if (!(Math.abs(Number(part)) > Number.MAX_SAFE_INTEGER)) return false
    const isNumber = (value: unknown) => typeof value === "number" && String(value) === part
    // Many write it as text beside, for this very reason.
    return holds(profile, isNumber) && !holds(profile, (value) => value === part || value === id)
  })
}
