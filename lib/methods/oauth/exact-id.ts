/** Where an id may be: beside what wraps it. */
const MAX_DEPTH = 4

/** Does it stand somewhere in the answer, as a number or as a text, whichever is asked for? */
function holds(value: unknown, isIt: (value: unknown) => boolean, depth = MAX_DEPTH): boolean {
  if (isIt(value)) return true
  return depth > 0 && typeof value === "object" && value !== null
    ? Object.values(value).some((inner) => holds(inner, isIt, depth - 1))
    : false
}

/**
 * Was the id a number that stands for its neighbours as well? JSON's numbers are read as doubles (RFC 8259 §6): beyond
 * 2⁵³ two people have one, and would be one user here.
 *
 * @param profile the answer that the id was taken from
 */
export function isInexactId(id: string, profile: object): boolean {
  if (!(Math.abs(Number(id)) > Number.MAX_SAFE_INTEGER)) return false
  const isNumber = (value: unknown) => typeof value === "number" && String(value) === id
  // Many write it as text beside, for this very reason.
  return holds(profile, isNumber) && !holds(profile, (value) => value === id)
}
