import type { SessionOptions } from "../../../lib/types.js"
import type { Browser } from "../../support/browser.js"

export const NAME = "authjs.session-token"
export const HOUR = 3_600
export const DAY = 24 * HOUR
export const BEGIN = Date.parse("2030-01-01T00:00:00.000Z")
/** A session ends after 30 days without use, and 90 days after the sign-in. */
export const QUARTER: SessionOptions = { absoluteMaxAge: 90 * DAY }

export const at = (seconds: number): number => BEGIN + seconds * 1000
export const read = async (browser: Browser, path = "/auth/session") => (await browser.get(path)).json()
/** The expiry of the session cookie in the browser. */
export const kept = (browser: Browser) => browser.cookies().find(({ name }) => name === NAME)?.expiresAt

export interface Using {
  readonly browser: Browser
  readonly time: { now: number }
  readonly path?: string
}

/** Uses the session at each interval until it ends, and returns the seconds at which it was valid. */
export async function useEvery(hop: number, end: number, { browser, time, path }: Using): Promise<number[]> {
  const validAt: number[] = []
  for (let seconds = hop; seconds < end; seconds += hop) {
    time.now = at(seconds)
    const session = await read(browser, path)
    if (!session) break
    expect(Date.parse(session.expires)).toBeLessThanOrEqual(at(end))
    validAt.push(seconds)
  }
  return validAt
}
