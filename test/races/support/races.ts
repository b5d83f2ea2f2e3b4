/**
 * Runs 50 concurrent uses of one thing, repeatedly, against two applications that share only a store, as two processes
 * do.
 *
 * @module
 */
import type { AuthConfig } from "../../../lib/types.js"
import { type RunningApp, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import type { LogRecord } from "../../support/recording-logger.js"

export const CROWD = 50
/** One round in an ordinary run; `npm run test:races` runs a hundred. */
export const ROUNDS = Number(process.env["RACE_ROUNDS"] ?? 1)
/** The timeout for all rounds of a test. A hundred rounds take minutes on a busy machine. */
export const TIMEOUT_MS = 20_000 + ROUNDS * 10_000

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Runs the rounds one after the other. */
export async function eachRound<T>(run: (round: number) => Promise<T>): Promise<T[]> {
  const outcomes: T[] = []
  for (let round = 0; round < ROUNDS; round++) outcomes.push(await run(round))
  return outcomes
}

/** The same outcome in every round. */
export const always = <T>(outcome: T): T[] => times(ROUNDS, () => outcome)

export interface Race {
  /** Two applications, or `count`. */
  readonly apps: readonly [RunningApp, ...RunningApp[]]
  /** Alternates between the applications. */
  appOf(index: number): RunningApp
  /** Log records of level error; refusals are not errors. */
  errors(): LogRecord[]
}

/** Starts applications that share the store of the configuration. */
export async function startRace(start: Start, config: Partial<AuthConfig>, count = 2): Promise<Race> {
  const { logger, records } = recordingLogger()
  const shared = { secret: TEST_SECRET, logger, rateLimit: false as const }
  // Each application gets its own configuration object, because values derived from it are cached per object.
  const open = () => start({ providers: [], ...shared, ...config })
  const apps = [await open(), ...(await Promise.all(times(count - 1, open)))] as const
  return {
    apps,
    appOf: (index) => apps[index % apps.length] ?? apps[0],
    errors: () => records.filter(({ level }) => level === "error"),
  }
}

const isSessionCookie = (header: string) => /authjs\.session-token=[^;]/.test(header)

/** How the responses to concurrent requests ended. */
export interface Outcome {
  /** The number of responses with a session. */
  readonly winners: number
  /** The distinct refusals of the other responses. */
  readonly refusals: string[]
  /** The distinct status codes. */
  readonly statuses: number[]
}

/** Summarizes the responses. */
export function outcomeOf(pages: readonly Page[]): Outcome {
  const won = pages.filter(({ headers }) => headers.getSetCookie().some(isSessionCookie))
  const lost = pages.filter((page) => !won.includes(page))
  return {
    winners: won.length,
    refusals: unique(lost.map(refusalOf)),
    statuses: unique(pages.map(({ status }) => status)),
  }
}

const refusalOf = ({ location, status }: Page): string =>
  location ? `${new URL(location).pathname} ${new URL(location).searchParams.get("error")}` : String(status)

const unique = <T>(all: readonly T[]): T[] => [...new Set(all)].sort()

/** One request wins, and all others are refused in the same way. */
export const oneWinner = (refusal: string): Outcome => ({ winners: 1, refusals: [refusal], statuses: [302] })

/** Copies of one browser with the same cookies. */
export const copiesOf = (browser: Browser): Browser[] => times(CROWD, () => browser.clone())

/** Copies of one browser's cookies, alternating between the applications, as on a site with several processes. */
export const spread = (browser: Browser, { appOf }: Race): Browser[] =>
  times(CROWD, (index) => {
    const copy = appOf(index).browser()
    for (const { name, value } of browser.cookies()) copy.setCookie(name, value)
    return copy
  })
