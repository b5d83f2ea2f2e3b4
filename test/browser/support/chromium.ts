/**
 * Starts Chromium, and records the errors of its pages.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from "playwright-core"

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const ARGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
]

const executablePath = process.env["CHROMIUM_PATH"] ?? PATHS.find(existsSync)

/** `describe` that is skipped without Chromium. With `CI=true`, a missing Chromium is a failure. */
export function describeInChromium(name: string, tests: () => void): void {
  const missing = `No Chromium at ${PATHS.join(", ")}. Install one, or set CHROMIUM_PATH.`
  if (executablePath) describe(name, tests)
  else if (process.env["CI"] === "true") {
    it(name, () => {
      throw new Error(missing)
    })
  } else {
    process.stderr.write(`\n*** SKIPPED: ${name}. ${missing}\n\n`)
    describe.skip(name, tests)
  }
}

export function launch(options: LaunchOptions = {}): Promise<Browser> {
  if (!executablePath) throw new Error("there is no Chromium")
  return chromium.launch({ executablePath, ...options, args: [...ARGS, ...(options.args ?? [])] })
}

/** Starts Chromium as a user does, with a profile in a folder, in which its password manager works. */
export function launchWithProfile(folder: string): Promise<BrowserContext> {
  if (!executablePath) throw new Error("there is no Chromium")
  return chromium.launchPersistentContext(folder, {
    executablePath,
    // The headless mode of Playwright is a smaller browser without a password manager, and automation turns it off.
    headless: false,
    args: [...ARGS, "--headless=new", "--password-store=basic"],
    ignoreDefaultArgs: ["--enable-automation"],
  })
}

/** A browser context, and the errors of its pages. */
export interface Person {
  readonly context: BrowserContext
  /** Console errors and warnings, exceptions, and failed requests. */
  readonly complaints: string[]
  newPage(): Promise<Page>
}

export async function newPerson(browser: Browser, options: BrowserContextOptions): Promise<Person> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(5_000)
  const complaints: string[] = []
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  context.on("weberror", (error) => complaints.push(String(error.error())))
  context.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? ""
    // Requests that a navigation aborted are not errors.
    if (reason !== "net::ERR_ABORTED") complaints.push(`${request.method()} ${request.url()}: ${reason}`)
  })
  return { context, complaints, newPage: () => context.newPage() }
}

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8")

interface AxeResults {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[]
}

/** Violations found by axe, one line for each element; with some rules or with all. */
export async function accessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(AXE)
  // The frames of emails are sandboxed, so the script can't reach them.
  const options = { iframes: false, resultTypes: ["violations"], ...(rules && { runOnly: rules }) }
  // The only thing that the script returns.
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`),
  )
}

/** The number of pixels by which a page is wider than the window. */
export async function overflow(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
}
