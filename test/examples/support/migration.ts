/**
 * Runs an old application, and then the new one that replaces it.
 *
 * @module
 */
import { Browser } from "../../support/browser.js"
import { type Person, signInAtProvider } from "../../support/real-provider.js"
import { type RunningExample, runExample } from "./run-example.js"

const DAY_MS = 24 * 60 * 60 * 1000
export const PLAIN_TEXT = "text/plain; charset=utf-8"
/** The secret of both applications. */
export const SECRET = "one secret for the old and the new, of fifty letters"

const dayFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

/** The two applications of a recipe, one after the other at the same address. */
export class Migration {
  #running: RunningExample | undefined
  readonly #folder: string
  readonly #env: Record<string, string>

  constructor(name: string, env: Record<string, string> = {}) {
    this.#folder = `examples/migrations/${name}`
    this.#env = { AUTH_SECRET: SECRET, SESSION_SECRET: SECRET, ADOPT_UNTIL: dayFromNow(14), ...env }
  }

  get origin(): string {
    return this.#running?.origin ?? ""
  }

  async start(file: "before.js" | "after.js", env: Record<string, string> = {}): Promise<void> {
    const port = this.#running?.port
    await this.stop()
    const settings = { ...this.#env, ...(port && { PORT: String(port) }), ...env }
    this.#running = await runExample(`${this.#folder}/${file}`, settings)
  }

  browser(): Browser {
    return new Browser({ origin: this.origin })
  }

  async stop(): Promise<void> {
    await this.#running?.stop()
  }
}

/** The user that the application returns for the browser, or undefined. */
export async function currentUser(browser: Browser): Promise<Record<string, unknown> | undefined> {
  const page = await browser.get("/me", { headers: { accept: "application/json", "sec-fetch-mode": "cors" } })
  const answer: unknown = await page.json()
  return page.status === 200 ? Object(answer) : undefined
}

/** Another browser with the same cookies, for example of a thief. */
export function copyBrowser(browser: Browser, names = /./): Browser {
  const copy = browser.clone()
  copy.jar.forget(({ name }) => !names.test(name))
  return copy
}

export async function signOut(browser: Browser): Promise<void> {
  const question = await (await browser.get("/auth/signout")).text()
  await browser.submit(browser.form(question, "/auth/signout"))
}

/** Signs in at the provider from the sign-in page. */
export async function signInWithProvider(browser: Browser, as: Person): Promise<void> {
  const page = await browser.get("/auth/signin")
  const sent = await browser.submit(browser.form(await page.text(), "/auth/signin/"))
  await browser.get(await signInAtProvider(browser, sent.location, as), { follow: true })
}
