/**
 * A signed-in user who is the victim of forged requests.
 *
 * @module
 */
import { type Attempt, configOf, people, signIn } from "../../express/support/servers.js"
import { recordingLogger, type Start, type TestApp } from "../../support/apps.js"
import type { Page } from "../../support/browser.js"

export const SESSION = "authjs.session-token"
export const CREDENTIALS = "/auth/callback/credentials"
/** The paths that accept POST with the credentials provider. */
export const POSTS = ["/auth/signin/credentials", "/auth/signout", CREDENTIALS, "/auth/session"]

/** Starts an application with a signed-in user, and records later attempts and log records. */
export async function victimOf(start: Start, setup: (app: TestApp) => void = () => {}) {
  const attempts: Attempt[] = []
  const { logger, records } = recordingLogger()
  const config = configOf({ providers: [people(attempts)], logger, rateLimit: false })
  const app = await start(config, { setup })
  const victim = app.browser()
  await signIn(victim)
  const token = await victim.csrf()
  attempts.length = 0
  records.length = 0
  return { app, victim, token, attempts, records, session: victim.cookie(SESSION) ?? "" }
}

/** Expects the refusal of a POST without a valid CSRF token, and no session cookie. */
export function expectRefused(path: string, page: Page): void {
  if (path === "/auth/session") expect([path, page.status]).toEqual([path, 400])
  else expect([path, page.status, page.location]).toEqual([path, 302, expect.stringMatching(/[?&]error=MissingCSRF$/)])
  expect(page.headers.getSetCookie().join()).not.toContain("session-token")
}
