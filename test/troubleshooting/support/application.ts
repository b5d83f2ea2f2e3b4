/**
 * A minimal application with one problem, its log, and what a visitor sees.
 *
 * @module
 */
import { createServer } from "node:http"
import express, { type Express } from "express"
import express4 from "express4"
import { authMiddleware } from "../../../lib/index.js"
import type { AuthConfig } from "../../../lib/types.js"
import { people, withEnv } from "../../express/support/servers.js"
import { TEST_SECRET } from "../../support/apps.js"
import { Browser, type BrowserOptions, type Page } from "../../support/browser.js"
import { listen } from "../../support/listen.js"
import { overNetwork } from "../../support/network.js"

export const EXPRESS: readonly (readonly [string, () => Express])[] = [
  ["Express 5", express],
  ["Express 4", express4],
]

export interface Setup {
  /** @default Express 5 */
  readonly create?: () => Express
  readonly config?: Partial<AuthConfig>
  /** Set while the middleware is created; undefined unsets a variable. */
  readonly env?: Record<string, string | undefined>
  /** Called before the middleware is mounted. */
  readonly setup?: (app: Express) => void
  /** Replaces `app.use(middleware)`. */
  readonly mount?: (app: Express, middleware: ReturnType<typeof authMiddleware>) => void
  /** Called after the middleware is mounted. */
  readonly routes?: (app: Express) => void
}

export interface Application {
  readonly address: string
  browser(options?: BrowserOptions): Browser
}

/** Everything that was printed to the console. */
export interface Terminal {
  text(): string
  /** The lines that begin with `start`. */
  lines(start: string): string[]
}

/** Unsets the variables of the machine that runs the tests. */
const BARE: Record<string, undefined> = {
  ...{ AUTH_SECRET: undefined, AUTH_URL: undefined, AUTH_TRUST_HOST: undefined, NEXTAUTH_URL: undefined },
}

/** Records the console for each test. */
export function useTerminal(): Terminal {
  let printed: string[] = []
  beforeEach(() => {
    printed = []
    for (const stream of ["log", "warn", "error"] as const)
      jest.spyOn(console, stream).mockImplementation((...parts: unknown[]) => void printed.push(parts.join(" ")))
  })
  afterEach(() => jest.restoreAllMocks())
  const text = () => printed.join("\n")
  return {
    text,
    lines: (start) =>
      text()
        .split("\n")
        .filter((line) => line.startsWith(start)),
  }
}

/**
 * Returns a function that starts an application, or throws the error of `authMiddleware`. Closes all after the tests.
 */
export function useApplications(): (setup: Setup) => Promise<Application> {
  const closing: (() => Promise<void>)[] = []
  afterAll(() => Promise.all(closing.map((close) => close())))
  return async ({ create = express, config, env = {}, setup, mount, routes }) => {
    const app = create()
    setup?.(app)
    const given = { providers: [people()], secret: TEST_SECRET, ...config }
    const middleware = withEnv({ ...BARE, ...env }, () => authMiddleware(given))
    if (mount) mount(app, middleware)
    else app.use(middleware)
    app.get("/me", async (req, res) => void res.json(await req.getSession()))
    routes?.(app)
    const { origin: address, close } = await listen(createServer(app))
    closing.push(close)
    return {
      address,
      browser: ({ origin = address, ...options } = {}) =>
        new Browser({ ...options, origin, send: (request) => overNetwork(request, address) }),
    }
  }
}

/** The error that `authMiddleware` throws for this configuration. */
export function refusalOf(config: Partial<AuthConfig>, env: Record<string, string | undefined> = {}): Error {
  try {
    withEnv({ ...BARE, ...env }, () => authMiddleware({ providers: [people()], secret: TEST_SECRET, ...config }))
  } catch (error) {
    // `authMiddleware` throws only instances of Error.
    return error as Error
  }
  throw new Error("the configuration was accepted")
}

/** The visible text of a page. */
export async function textOf(page: Page): Promise<string> {
  const html = await page.text()
  return html
    .replace(/<(script|style|title)[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/&#39;/g, "'")
    .replace(/\s+/g, " ")
    .trim()
}
