import type { Browser, Page } from "../../support/browser.js"
import type { ProviderMode } from "../../support/faulty-provider.js"
import type { LogRecord } from "../../support/recording-logger.js"
import { expectNoSecret, flowCookies, type Site, sessionCookies, sessionOf, signIn } from "./site.js"

export interface Refusal {
  /** The provider's misbehaviour, or a function that sets it. */
  mode?: ProviderMode | (() => void)
  /** The attempt; returns the last page. @default a complete sign-in */
  attempt?: (browser: Browser) => Promise<Page>
  /** Matches the only log record. */
  reason: RegExp
  /** @default "OAuthCallbackError" on the sign-in page */
  lands?: { page: "signin" | "error"; error: string }
  /** @default "oidc" */
  provider?: string
  /** Requests to the token endpoint during the attempt. */
  tokenCalls?: number
  /** The number of pending flows that the attempt must not end. @default 0 */
  flowsLeft?: number
  /** The level of the log record. */
  level?: "warn" | "error"
}

/** The maximum duration of any response. */
const DEADLINE_MS = 10_000

/**
 * Runs an attempt that must be refused, in a signed-out and in a signed-in browser. Expects an error page in time, no
 * new session, an unchanged existing session, no flow cookie, one log record with the provider and the reason, no event,
 * no new row, and no secret in the log, URL or page. Afterwards a sign-in works in the same browser.
 */
export async function expectRefused(site: Site, refusal: Refusal): Promise<void> {
  const { app, op } = site
  const [guest, member] = [app.browser(), app.browser()]
  await expectOneRefused(site, guest, refusal)
  expect(sessionCookies(guest)).toEqual([])
  site.behave()
  expect(await sessionOf(guest)).toBeNull()
  await signIn(member, op)
  await expectOneRefused(site, member, refusal)
  for (const browser of [guest, member]) {
    site.behave()
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: expect.any(String) } })
  }
}

const countRows = ({ store }: Site) => store && [store.users.size, store.accounts.length, store.sessions.size]

async function expectOneRefused(site: Site, browser: Browser, refusal: Refusal): Promise<void> {
  const { op } = site
  const { mode = {}, attempt = (one) => signIn(one, op), tokenCalls, flowsLeft = 0 } = refusal
  site.behave()
  const before = { cookies: sessionCookies(browser), rows: countRows(site), calls: op.count("/token") }
  const session = await sessionOf(browser)
  const [cookies] = [sessionCookies(browser)]
  site.forget()
  if (typeof mode === "function") mode()
  else op.set(mode)
  const startedAt = performance.now()
  const page = await attempt(browser)
  expect(performance.now() - startedAt).toBeLessThan(DEADLINE_MS)
  await expectPage(site, page, refusal)
  expectOneRecord(site, refusal)
  expect(site.events).toEqual([])
  expect(countRows(site)).toEqual(before.rows)
  expect(sessionCookies(browser)).toEqual(cookies)
  expect(flowCookies(browser)).toHaveLength(flowsLeft)
  if (tokenCalls !== undefined) expect(op.count("/token") - before.calls).toBe(tokenCalls)
  site.behave()
  expect((await sessionOf(browser))?.user).toEqual(session?.user)
}

async function expectPage(site: Site, page: Page, { lands }: Refusal): Promise<void> {
  const { page: path, error } = lands ?? { page: "signin", error: "OAuthCallbackError" }
  expect(page.status).toBe(302)
  const { origin, pathname, searchParams } = new URL(page.location)
  expect([origin, pathname]).toEqual([site.app.origin, `${site.app.basePath}/${path}`])
  expect(searchParams.get("error")).toBe(error)
  for (const name of searchParams.keys()) expect(["error", "callbackUrl"]).toContain(name)
  expect(page.headers.getSetCookie().join("\n")).not.toContain("session-token")
  expectNoSecret(site, `${page.location}\n${page.headers.getSetCookie().join("\n")}\n${await page.text()}`)
}

/** The messages of a record without stacks, which would match nearly any pattern. */
function readReason({ error }: LogRecord): string {
  const { err, ...facts } = Object(error?.cause)
  return [error?.message, err?.message, JSON.stringify(facts)].join("\n")
}

function expectOneRecord(site: Site, { reason, provider = "oidc", level }: Refusal): void {
  const found = site.failures()
  if (found.length !== 1) throw new Error(`${found.length} records in the log, not one:\n${site.logText()}`)
  const [record] = found
  expect(Object(record?.error?.cause)).toMatchObject({ provider })
  expect(record && readReason(record)).toMatch(reason)
  if (level) expect(record?.level).toBe(level)
  expectNoSecret(site, site.logText())
}
