/**
 * An authenticator app, and the pages of the second factor as a user sees them.
 *
 * @module
 */
import { generateSync } from "otplib"
import type { Browser, Page } from "./browser.js"
import { decodeEntities } from "./html.js"

/** The path of the page. */
export const FACTOR_PATH = "/auth/second-factor"

/** Returns the code that an authenticator app shows at this time. */
export const codeAt = (secret: string, timeMs = Date.now()): string =>
  generateSync({ secret, epoch: Math.floor(timeMs / 1000) })

/** Reads the secret for typing from the page that sets up an app. */
export function secretIn(html: string): string {
  const [, groups] = /<code class="secret"[^>]*>(.+?)<\/code>/.exec(html) ?? []
  if (groups === undefined) throw new Error(`the page has no secret:\n${html}`)
  return groups.replaceAll(/<[^>]+>/g, "")
}

/** Reads the recovery codes from their page. */
export const recoveryCodesIn = (html: string): string[] =>
  [...html.matchAll(/<li><code>([^<]+)<\/code><\/li>/g)].map(([, code = ""]) => decodeEntities(code))

/** A second factor that was set up. */
export interface Enrolled {
  readonly secret: string
  readonly recoveryCodes: readonly string[]
  /** The page with the recovery codes. */
  readonly page: Page
  readonly html: string
}

/** Sets up an authenticator app on the page, in a sign-in that waits or for the current user. */
export async function enrol(browser: Browser, { path = FACTOR_PATH, timeMs = Date.now() } = {}): Promise<Enrolled> {
  const html = await (await browser.get(path)).text()
  const secret = secretIn(html)
  const page = await browser.submit(browser.form(html, "second-factor"), { code: codeAt(secret, timeMs) })
  const answer = await page.text()
  return { secret, recoveryCodes: recoveryCodesIn(answer), page, html: answer }
}

/** Submits a code, or a recovery code, on the page of a sign-in that waits. */
export async function submitCode(
  browser: Browser,
  fields: { readonly code: string } | { readonly recoveryCode: string },
  more: Readonly<Record<string, string>> = {},
): Promise<Page> {
  return browser.post(FACTOR_PATH, { csrfToken: await browser.csrf(), do: "verify", ...fields, ...more })
}
