/**
 * How much of all that could be changed do the tests notice? A sample of all changes is tried, drawn at random, and the
 * share is told with the interval in which it lies with 95 % probability. Whoever asks about one module sees more with
 * run.mjs.
 *
 *   npm run mutation -- --sample 400                       400 changes
 *   npm run mutation -- --sample 400 --seed 7              others, the same each time
 *   npm run mutation -- --sample 50 --of lib/config,lib/http    of these files alone
 *
 * Each change is tried on the tests that reach it, those first that are quick, and where these miss it on some of those
 * that run the built package. A test file that fails here unchanged is left out, as are those that take minutes, so that
 * the share is rather told too low.
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

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

/** So many of them, each as likely as each other. */
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

/** The last lines: each change that nobody noticed, and the share with its interval. */
function tell(results, ofHowMany) {
  const amount = (isMeant) => results.filter(isMeant).length
  const noticed = amount(isNoticed)
  const [low, high] = intervalOf(noticed, results.length)
  const percent = (share) => `${(100 * share).toFixed(1)} %`
  for (const result of results.filter((one) => !isNoticed(one))) console.log(`${result.outcome}: ${told(result)}`)
  console.log(
    `${noticed} of ${results.length} noticed (${amount(({ outcome }) => outcome === "timeout")} by a test that no ` +
      `longer ended, ${amount(({ by }) => by === "built package")} only through the built package), ` +
      `${amount(({ outcome }) => outcome === "missed")} missed, ` +
      `${amount(({ outcome }) => outcome === "not reached")} not reached: ${percent(noticed / results.length)}, ` +
      `with 95 % probability ${percent(low)} to ${percent(high)} of all ${ofHowMany}`,
  )
}

/** Tries so many changes, and tells what became of them. */
export async function sample({ count, seed, of, workers, isCoverageKept }) {
  const isAsked = ({ fileName }) => of.split(",").some((prefix) => fileName.startsWith(prefix))
  const changes = (await makeChangeable(isCoverageKept)).filter(isAsked)
  console.error(`${changes.length} changes are possible; which test reaches which is found out first`)
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
