/**
 * Estimates the share of all possible changes that the tests detect. It tries a random sample of changes, and reports
 * the share with its 95 % confidence interval. For a single module run.mjs is more precise.
 *
 *   npm run mutation -- --sample 400                       400 changes
 *   npm run mutation -- --sample 400 --seed 7              other changes, reproducible
 *   npm run mutation -- --sample 50 --of lib/config,lib/http    only in these files
 *
 * Each change is tried on the tests that reach it, fast ones first. If these miss it, it is tried on some tests of the
 * built package. Test files that fail without a change, or that take minutes, are left out, so the reported share is a
 * lower estimate.
 *
 * @module
 */
import { writeFileSync } from "node:fs"
import { testsOfBuiltPackage } from "./sample/built-package.mjs"
import { makeChangeable } from "./sample/changeable.mjs"
import { coverageOf } from "./sample/coverage.mjs"
import { SANDBOX } from "./sample/jest-options.mjs"
import { intervalOf } from "./sample/statistics.mjs"
import { tryChange } from "./sample/try-change.mjs"
import { makeWorker } from "./sample/worker-process.mjs"

/** Random numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Draws this many items, all with the same probability. */
function drawn(all, count, random) {
  const rest = [...all]
  return Array.from(
    { length: Math.min(count, rest.length) },
    () => rest.splice(Math.floor(random() * rest.length), 1)[0],
  )
}

const isNoticed = ({ outcome }) => outcome === "noticed" || outcome === "timeout"

const told = ({ fileName, line, before, replacement }) =>
  `${fileName}:${line}  ${before.replaceAll(/\s+/g, " ").slice(0, 90)}  ->  ${replacement.replaceAll(/\s+/g, " ").slice(0, 90)}`

/** Prints the undetected changes, and the share with its interval. */
function tell(results, ofHowMany) {
  const amount = (isMeant) => results.filter(isMeant).length
  const noticed = amount(isNoticed)
  const [low, high] = intervalOf(noticed, results.length)
  const percent = (share) => `${(100 * share).toFixed(1)} %`
  for (const result of results.filter((one) => !isNoticed(one))) console.log(`${result.outcome}: ${told(result)}`)
  console.log(
    `${noticed} of ${results.length} detected (${amount(({ outcome }) => outcome === "timeout")} by a ` +
      `timeout, ${amount(({ by }) => by === "built package")} only by tests of the built package), ` +
      `${amount(({ outcome }) => outcome === "missed")} missed, ` +
      `${amount(({ outcome }) => outcome === "not reached")} not reached: ${percent(noticed / results.length)}, ` +
      `with 95 % probability ${percent(low)} to ${percent(high)} of all ${ofHowMany}`,
  )
}

/** Tries this many changes, and reports the results. */
export async function sample({ count, seed, of, workers, isCoverageKept }) {
  const isAsked = ({ fileName }) => of.split(",").some((prefix) => fileName.startsWith(prefix))
  const changes = (await makeChangeable(isCoverageKept)).filter(isAsked)
  console.error(`${changes.length} changes are possible. First the coverage of the tests is measured`)
  const reaching = coverageOf(isCoverageKept)
  const built = testsOfBuiltPackage(isCoverageKept)
  const chosen = drawn(changes, count, randomFrom(seed))
  const results = []
  const next = chosen.values()
  const work = async ({ attempt, stop }) => {
    for (const change of next) {
      const started = performance.now()
      const found = await tryChange({ attempt, change, reaching: reaching(change.id), built })
      results.push({ ...change, ...found, seconds: Math.round((performance.now() - started) / 1000) })
      writeFileSync(`${SANDBOX}/results.json`, JSON.stringify(results, null, 1))
      const missed = results.filter((result) => !isNoticed(result)).length
      const outcome = found.by === "built package" ? `${found.outcome} (${found.by})` : found.outcome
      console.error(`${results.length}/${chosen.length} (${missed} missed) ${outcome} ${told(change)}`)
    }
    stop()
  }
  await Promise.all(Array.from({ length: workers }, () => work(makeWorker())))
  tell(results, changes.length)
}
