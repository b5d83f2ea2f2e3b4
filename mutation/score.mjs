const CAUGHT = ["Killed", "Timeout"]
const MISSED = ["Survived", "NoCoverage"]

/** Counts the detected changes, as Stryker does. */
export function scoreOf(mutants) {
  const count = (statuses) => mutants.filter(({ status }) => statuses.includes(status)).length
  const [caught, missed] = [count(CAUGHT), count(MISSED)]
  return { caught, missed, score: `${((100 * caught) / (caught + missed)).toFixed(2)} %` }
}
