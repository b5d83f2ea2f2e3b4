import { setTimeout as pause } from "node:timers/promises"
import { comeBack, param, sessionOf } from "../../flows/support/site.js"
import type { Browser, Page } from "../../support/browser.js"
import type { FaultyProvider } from "../../support/faulty-provider.js"

export const SIGNED_IN = "signed in"

/** From the end of an outage to the first sign-in that succeeds. */
export const RECOVERY_MS = 5_000
/** What anybody waits for an answer, and what a loaded machine adds. */
export const PATIENCE_MS = 11_000
/** How often somebody tries. */
const PACE_MS = 500

export interface Outage {
  readonly lastsMs: number
  begin(): unknown
  end(): unknown
  /** Somebody tries to sign in; gives what they were told. */
  attempt(): Promise<string>
}

interface Attempt {
  readonly told: string
  readonly beganAt: number
  readonly endedAt: number
}

export interface Survived {
  /** Between the end of the outage and the first sign-in that began after it began and succeeded. */
  readonly recoveredMs: number
  /** What people were told while it lasted and until it was over, each once. */
  readonly told: string[]
  readonly slowestMs: number
}

/** People go on trying while something is down, and until it works again. */
export async function liveThrough({ lastsMs, begin, end, attempt }: Outage): Promise<Survived> {
  const attempts: Promise<Attempt>[] = []
  let firstAt: number | undefined
  let endedAt = Number.POSITIVE_INFINITY
  const tryOnce = async (): Promise<Attempt> => {
    const beganAt = performance.now()
    const told = await attempt()
    const now = performance.now()
    if (told === SIGNED_IN && now > endedAt) firstAt ??= now
    return { told, beganAt, endedAt: now }
  }
  const keepTrying = async (isEnough: () => boolean) => {
    while (!isEnough()) {
      attempts.push(tryOnce())
      await pause(PACE_MS)
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
    told: [...new Set(all.map(({ told }) => told))].sort(),
    slowestMs: Math.max(...all.map((one) => one.endedAt - one.beganAt)),
  }
}

/**
 * The story, and where it was slow the slower one of two more: a busy machine may have been slow once, so that two of
 * three count.
 */
export async function usual<T extends Survived>(story: T, again: () => Promise<T>): Promise<T> {
  if (story.recoveredMs < RECOVERY_MS) return story
  const others = [await again(), await again()] as const
  return others[0].recoveredMs > others[1].recoveredMs ? others[0] : others[1]
}

/** What a page tells somebody who tries to sign in. */
export const toldBy = ({ status, location }: Page): string =>
  `${status} ${location === "" ? "" : param(location, "error")}`.trim()

/** Somebody tries to sign in at a provider. */
export async function signInAt(op: FaultyProvider, browser: Browser): Promise<string> {
  const begun = await browser.post("/auth/signin/oidc", { csrfToken: await browser.csrf() })
  if (!begun.location.startsWith(`${op.base}/authorize?`)) return toldBy(begun)
  const page = await comeBack(browser, op, await op.authorize(begun.location))
  if (param(page.location, "error") !== "" || page.status !== 302) return toldBy(page)
  return (await sessionOf(browser)) ? SIGNED_IN : "no session"
}
