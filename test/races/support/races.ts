/**
 * A crowd that uses one thing at the same moment, again and again, at two applications that share a store and nothing
 * else, as two processes do.
 *
 * @module
 */
import type { AuthConfig } from "../../../lib/types.js"
import { type RunningApp, recordingLogger, type Start, TEST_SECRET } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import type { LogRecord } from "../../support/recording-logger.js"

export const CROWD = 50
/** One in an ordinary run, to be quick; `npm run test:races` runs a hundred. */
export const ROUNDS = Number(process.env["RACE_ROUNDS"] ?? 1)
/** For all rounds of a test; a hundred of them take minutes on a busy machine. */
export const PATIENCE_MS = 20_000 + ROUNDS * 10_000

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** One round after the other: each is a race of its own. */
export async function eachRound<T>(run: (round: number) => Promise<T>): Promise<T[]> {
  const outcomes: T[] = []
  for (let round = 0; round < ROUNDS; round++) outcomes.push(await run(round))
  return outcomes
}

/** The same outcome in every round. */
export const always = <T>(outcome: T): T[] => times(ROUNDS, () => outcome)

export interface Racetrack {
  /** Two applications, or as many as were asked for. */
  readonly apps: readonly [RunningApp, ...RunningApp[]]
  /** The application whose turn it is: every second one is the other's. */
  appOf(index: number): RunningApp
  /** What an operator has to look at; refusals are none. */
  errors(): LogRecord[]
}

/** Starts applications that share a store, the one of the configuration. */
export async function racetrack(start: Start, config: Partial<AuthConfig>, count = 2): Promise<Racetrack> {
  const { logger, records } = recordingLogger()
  const shared = { secret: TEST_SECRET, logger, rateLimit: false as const }
  // A configuration of its own each: what is worked out of it belongs to one.
  const open = () => start({ providers: [], ...shared, ...config })
  const apps = [await open(), ...(await Promise.all(times(count - 1, open)))] as const
  return {
    apps,
    appOf: (index) => apps[index % apps.length] ?? apps[0],
    errors: () => records.filter(({ level }) => level === "error"),
  }
}

const isSessionCookie = (header: string) => /authjs\.session-token=[^;]/.test(header)

/** How the answers to a crowd that used one thing ended. */
export interface Outcome {
  /** Those who were sent on with a session. */
  readonly winners: number
  /** What the others were told, each once. */
  readonly refusals: string[]
  /** The kinds of answers. */
  readonly statuses: number[]
}

/** What became of everybody in a crowd. */
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

/** One of the crowd got in, and everybody else was told the same. */
export const oneWinner = (refusal: string): Outcome => ({ winners: 1, refusals: [refusal], statuses: [302] })

/** A crowd of one browser's copies; each of them believes to be the first. */
export const copiesOf = (browser: Browser): Browser[] => times(CROWD, () => browser.clone())

/** A copy of a browser's cookies in browsers of several applications, as one site behind several processes has it. */
export const spread = (browser: Browser, { appOf }: Racetrack): Browser[] =>
  times(CROWD, (index) => {
    const copy = appOf(index).browser()
    for (const { name, value } of browser.cookies()) copy.setCookie(name, value)
    return copy
  })
