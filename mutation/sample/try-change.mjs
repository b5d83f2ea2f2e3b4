/** A change counts as missed after this many test files that reach it. */
const MOST_FILES = 60

/** Tries test files in batches, because the first files detect most changes. */
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

/** Requires two failures, because tests with child processes may fail on a busy machine. */
async function tryOnBuiltPackage(attempt, change, files) {
  for (const file of files) {
    if ((await attempt(change, [file])) === "missed") continue
    const outcome = await attempt(change, [file])
    if (outcome !== "missed") return { outcome, by: "built package", file: file.path }
  }
  return undefined
}

/** The outcome of a change, and whether tests that reach it or only tests of the built package detected it. */
export async function tryChange({ attempt, change, reaching, built }) {
  const outcome = await tryOnReaching(attempt, change, reaching)
  if (outcome === "noticed" || outcome === "timeout") return { outcome, by: "tests that reach it" }
  return (await tryOnBuiltPackage(attempt, change, built)) ?? { outcome }
}
