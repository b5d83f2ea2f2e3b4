/** A survivor is believed after so many test files. */
const MOST_FILES = 60

/** Most are noticed by the first file that comes near. */
export async function tryChange(attempt, change, files) {
  if (files.length === 0) return "not reached"
  for (const [from, to] of [
    [0, 3],
    [3, 15],
    [15, MOST_FILES],
  ]) {
    const some = files.slice(from, to)
    const outcome = some.length > 0 ? await attempt(change, some) : "missed"
    if (outcome !== "missed") return outcome
  }
  return "missed"
}
