/**
 * Runs the example in a browser, and performs the actions of users on its pages.
 *
 * @module
 */
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { type RunningExample, runExample } from "../../examples/support/run-example.js"
import { launch, newPerson, type Person } from "./chromium.js"

const EXAMPLE = "examples/express-ejs/server.js"

export interface Examples {
  /** The origins of the example with its own pages and with the built-in pages. */
  readonly ownPages: string
  readonly builtInPages: string
  /** Opens a browser context. The test fails if its pages log errors. */
  newWindow(origin: string, options?: BrowserContextOptions): Promise<Person>
}

/** Runs a browser and the example with both kinds of pages during the tests of this block. */
export function useExamples(): Examples {
  let browser: Browser
  let own: RunningExample | undefined
  let builtIn: RunningExample | undefined
  const people: Person[] = []
  beforeAll(async () => {
    ;[browser, own, builtIn] = await Promise.all([
      launch(),
      runExample(EXAMPLE),
      runExample(EXAMPLE, { BUILT_IN_PAGES: "1" }),
    ])
  })
  afterEach(async () => {
    const finished = people.splice(0)
    await Promise.all(finished.map(({ context }) => context.close()))
    expect(finished.flatMap(({ complaints }) => complaints)).toEqual([])
  })
  afterAll(() => Promise.all([browser?.close(), own?.stop(), builtIn?.stop()]))
  return {
    get ownPages() {
      return own?.origin ?? ""
    },
    get builtInPages() {
      return builtIn?.origin ?? ""
    },
    async newWindow(baseURL, options = {}) {
      const person = await newPerson(browser, { baseURL, ...options })
      people.push(person)
      return person
    },
  }
}

/** Waits for a page with this heading. */
export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor()

export const currentPath = (page: Page) => new URL(page.url()).pathname

export async function chooseAtProvider(page: Page, who: "Alice" | "Bob" | "Cancel") {
  await heading(page, "Choose a user")
  await page.getByRole("button", { name: who }).click()
}

/** Waits for the page with this heading, and skips the welcome page of new users. */
export async function arriveAt(page: Page, name: string) {
  const welcome = page.getByRole("heading", { level: 1, name: /^Welcome/ })
  await page.getByRole("heading", { level: 1, name }).or(welcome).waitFor()
  if (await welcome.isVisible()) await page.getByRole("link", { name: "Go on" }).click()
  await heading(page, name)
}

export async function signInAtProvider(page: Page, who: "Alice" | "Bob") {
  await page.getByRole("button", { name: "Continue with Development provider" }).click()
  await chooseAtProvider(page, who)
}
