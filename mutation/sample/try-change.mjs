/** A survivor is believed after so many test files that reach it. */
const MOST_FILES = 60

/** Most are noticed by the first file that comes near. */
async function tryOnReaching(attempt, change, files) {
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

/** What notices it does so twice: processes of their own are slow to start on a busy machine, and fail for that. */
async function tryOnBuiltPackage(attempt, change, files) {
  for (const file of files) {
    if ((await attempt(change, [file])) === "missed") continue
    const outcome = await attempt(change, [file])
    if (outcome !== "missed") return { outcome, by: "built package", file: file.path }
  }
  return undefined
}

/** What becomes of a change, and by which tests: by those that reach it, or only by those of the built package. */
export async function tryChange({ attempt, change, reaching, built }) {
  const outcome = await tryOnReaching(attempt, change, reaching)
  if (outcome === "noticed" || outcome === "timeout") return { outcome, by: "tests that reach it" }
  return (await tryOnBuiltPackage(attempt, change, built)) ?? { outcome }
}
