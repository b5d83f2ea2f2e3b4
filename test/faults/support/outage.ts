import { setTimeout as pause } from "node:timers/promises"
import { openCallback, param, sessionOf } from "../../flows/support/site.js"
import type { Browser, Page } from "../../support/browser.js"
import type { FaultyProvider } from "../../support/faulty-provider.js"

export const SIGNED_IN = "signed in"

/** The time from the end of an outage to the first successful sign-in. */
export const RECOVERY_MS = 5_000
/** The timeout of a response, plus a margin for a busy machine. */
export const TIMEOUT_MS = 11_000
/** The time between two attempts. */
const INTERVAL_MS = 500

export interface Outage {
  readonly lastsMs: number
  begin(): unknown
  end(): unknown
  /** Attempts to sign in; returns the result. */
  attempt(): Promise<string>
}

interface Attempt {
  readonly result: string
  readonly beganAt: number
  readonly endedAt: number
}

export interface Recovery {
  /** The time from the end of the outage to the first success of a sign-in that ends after it. */
  readonly recoveredMs: number
  /** The distinct results of all attempts. */
  readonly results: string[]
  readonly slowestMs: number
}

/** Repeats attempts during an outage, and until an attempt succeeds after it. */
export async function signInThroughout({ lastsMs, begin, end, attempt }: Outage): Promise<Recovery> {
  const attempts: Promise<Attempt>[] = []
  let firstAt: number | undefined
  let endedAt = Number.POSITIVE_INFINITY
  const tryOnce = async (): Promise<Attempt> => {
    const beganAt = performance.now()
    const result = await attempt()
    const now = performance.now()
    if (result === SIGNED_IN && now > endedAt) firstAt ??= now
    return { result, beganAt, endedAt: now }
  }
  const keepTrying = async (isDone: () => boolean) => {
    while (!isDone()) {
      attempts.push(tryOnce())
      await pause(INTERVAL_MS)
    }
  }
  await begin()
  const beganAt = performance.now()
  await keepTrying(() => performance.now() - beganAt > lastsMs)
  await end()
  endedAt = performance.now()
  await keepTrying(() => firstAt !== undefined || performance.now() - endedAt > 4 * RECOVERY_MS)
  const all = await Promise.all(attempts)
  return {
    recoveredMs: (firstAt ?? Number.POSITIVE_INFINITY) - endedAt,
    results: [...new Set(all.map(({ result }) => result))].sort(),
    slowestMs: Math.max(...all.map((run) => run.endedAt - run.beganAt)),
  }
}

/**
 * Returns the first run if it was fast. After a slow run, runs twice more and returns the slower of these two runs, so
 * that one slow run on a busy machine does not fail the test.
 */
export async function secondSlowest<T extends Recovery>(first: T, again: () => Promise<T>): Promise<T> {
  if (first.recoveredMs < RECOVERY_MS) return first
  const others = [await again(), await again()] as const
  return others[0].recoveredMs > others[1].recoveredMs ? others[0] : others[1]
}

/** The result of an attempt that did not sign in: the status and the error. */
export const resultOf = ({ status, location }: Page): string =>
  `${status} ${location === "" ? "" : param(location, "error")}`.trim()

/** Attempts to sign in at a provider. */
export async function signInAt(op: FaultyProvider, browser: Browser): Promise<string> {
  const started = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
  if (!started.location.startsWith(`${op.base}/authorize?`)) return resultOf(started)
  const page = await openCallback(browser, op, await op.authorize(started.location))
  if (param(page.location, "error") !== "" || page.status !== 302) return resultOf(page)
  return (await sessionOf(browser)) ? SIGNED_IN : "no session"
}
