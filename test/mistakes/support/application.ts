/**
 * An application as a newcomer writes it, and what comes of it: what stands in the terminal, and what a visitor sees.
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

export interface Mistaken {
  /** @default Express 5 */
  readonly create?: () => Express
  readonly config?: Partial<AuthConfig>
  /** While the middleware is made; undefined takes a variable away. */
  readonly env?: Record<string, string | undefined>
  /** Before the middleware. */
  readonly setup?: (app: Express) => void
  /** In place of `app.use(middleware)`. */
  readonly mount?: (app: Express, middleware: ReturnType<typeof authMiddleware>) => void
  /** After the middleware. */
  readonly routes?: (app: Express) => void
}

export interface Application {
  readonly address: string
  browser(options?: BrowserOptions): Browser
}

/** A terminal: what was printed on it, by whichever stream. */
export interface Terminal {
  text(): string
  /** The lines that begin with this. */
  lines(start: string): string[]
}

/** Nothing of the environment of whoever runs the tests. */
const BARE: Record<string, undefined> = {
  ...{ AUTH_SECRET: undefined, AUTH_URL: undefined, AUTH_TRUST_HOST: undefined, NEXTAUTH_URL: undefined },
}

/** Each test with a terminal of its own. */
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

/** Starts applications until the tests of the file are over; it throws what making the middleware throws. */
export function useApplications(): (mistake: Mistaken) => Promise<Application> {
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

/** What the middleware says when it is made with this. */
export function refusalOf(config: Partial<AuthConfig>, env: Record<string, string | undefined> = {}): Error {
  try {
    withEnv({ ...BARE, ...env }, () => authMiddleware({ providers: [people()], secret: TEST_SECRET, ...config }))
  } catch (error) {
    // What it throws is an Error of ours.
    return error as Error
  }
  throw new Error("the middleware took it")
}

/** A page's text as a person reads it. */
export async function textOf(page: Page): Promise<string> {
  const html = await page.text()
  return html
    .replace(/<(script|style|title)[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/&#39;/g, "'")
    .replace(/\s+/g, " ")
    .trim()
}
