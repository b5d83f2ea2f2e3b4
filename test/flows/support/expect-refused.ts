import type { Browser, Page } from "../../support/browser.js"
import type { ProviderMode } from "../../support/faulty-provider.js"
import type { LogRecord } from "../../support/recording-logger.js"
import { expectNoSecret, flowCookies, type Site, sessionCookies, sessionOf, signIn } from "./site.js"

export interface Refusal {
  /** How the provider misbehaves, or a function that makes it so. */
  mode?: ProviderMode | (() => void)
  /** What is tried; gives the page that it ends with. @default a whole sign-in */
  attempt?: (browser: Browser) => Promise<Page>
  /** What the one record in the log says, whatever else it holds. */
  reason: RegExp
  /** @default "OAuthCallbackError" on the sign-in page */
  lands?: { page: "signin" | "error"; error: string }
  /** @default "oidc" */
  provider?: string
  /** Requests to the token endpoint during the attempt. */
  tokenCalls?: number
  /** Sign-ins that stay under way, being none of this attempt's. @default 0 */
  flowsLeft?: number
  /** How loudly the operator hears of it. */
  level?: "warn" | "error"
}

/** A person waits no longer, whatever goes wrong. */
const DEADLINE_MS = 10_000

/**
 * Tries something that must fail, by a person who is signed in nowhere and by one who is signed in, and holds it to all
 * that a refusal means: a page that explains, no session, the one that there is untouched, the attempt's cookie cleared,
 * an answer in time, one record in the log that names provider and reason, no event, no row, no secret in log, address or page. Afterwards a
 * sign-in works in the same browser.
 */
export async function expectRefused(site: Site, refusal: Refusal): Promise<void> {
  const { app, op } = site
  const [stranger, member] = [app.browser(), app.browser()]
  await expectOneRefused(site, stranger, refusal)
  expect(sessionCookies(stranger)).toEqual([])
  site.behave()
  expect(await sessionOf(stranger)).toBeNull()
  await signIn(member, op)
  await expectOneRefused(site, member, refusal)
  for (const browser of [stranger, member]) {
    site.behave()
    await signIn(browser, op)
    expect(await sessionOf(browser)).toMatchObject({ user: { name: expect.any(String) } })
  }
}

const rowsOf = ({ store }: Site) => store && [store.users.size, store.accounts.length, store.sessions.size]

async function expectOneRefused(site: Site, browser: Browser, refusal: Refusal): Promise<void> {
  const { op } = site
  const { mode = {}, attempt = (one) => signIn(one, op), tokenCalls, flowsLeft = 0 } = refusal
  site.behave()
  const before = { cookies: sessionCookies(browser), rows: rowsOf(site), calls: op.count("/token") }
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
  expect(rowsOf(site)).toEqual(before.rows)
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

/** What a record says, without stacks, which would match nearly anything. */
function reasonOf({ error }: LogRecord): string {
  const { err, ...facts } = Object(error?.cause)
  return [error?.message, err?.message, JSON.stringify(facts)].join("\n")
}

function expectOneRecord(site: Site, { reason, provider = "oidc", level }: Refusal): void {
  const found = site.failures()
  if (found.length !== 1) throw new Error(`${found.length} records in the log, not one:\n${site.logText()}`)
  const [record] = found
  expect(Object(record?.error?.cause)).toMatchObject({ provider })
  expect(record && reasonOf(record)).toMatch(reason)
  if (level) expect(record?.level).toBe(level)
  expectNoSecret(site, site.logText())
}
