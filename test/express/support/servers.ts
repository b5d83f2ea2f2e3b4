/**
 * Applications of the tests' own, on a real port, with people who know their password.
 *
 * @module
 */
import { createServer, type RequestListener } from "node:http"
import Credentials from "../../../lib/providers/credentials.js"
import type { AuthConfig } from "../../../lib/types.js"
import { TEST_SECRET } from "../../support/apps.js"
import { Browser, type BrowserOptions, type Page } from "../../support/browser.js"
import { listen } from "../../support/listen.js"
import { overNetwork } from "../../support/network.js"
import { recordingLogger } from "../../support/recording-logger.js"

export interface Server {
  /** Where it really listens. */
  readonly address: string
  /** A new person's browser; with an origin the server is reached as a proxy would. */
  browser(options?: BrowserOptions): Browser
}

/** Serves applications until the last test of this file is over. */
export function servers(): (app: RequestListener) => Promise<Server> {
  const closing: (() => Promise<void>)[] = []
  afterAll(() => Promise.all(closing.map((close) => close())))
  return async (app) => {
    const { origin: address, close } = await listen(createServer(app))
    closing.push(close)
    return {
      address,
      browser: ({ origin = address, ...options } = {}) =>
        new Browser({ ...options, origin, send: (request) => overNetwork(request, address) }),
    }
  }
}

/** What `authorize` was called with. */
export type Attempt = { credentials: Partial<Record<string, unknown>>; request: Request }

/** Lets in whoever says "right" as the password, under the name given. */
export function people(attempts: Attempt[] = []) {
  return Credentials({
    credentials: { username: { label: "Name" }, password: { type: "password" } },
    authorize: (credentials, request) => {
      attempts.push({ credentials, request })
      return credentials.password === "right" ? { id: "7", name: String(credentials.username) } : null
    },
  })
}

/** A configuration that works; its log is silent. */
export const configOf = (over: Partial<AuthConfig> = {}): AuthConfig => ({
  providers: [people()],
  secret: TEST_SECRET,
  logger: recordingLogger().logger,
  ...over,
})

/** Fills in the form of the sign-in page's provider "credentials". */
export async function signIn(browser: Browser, base = "/auth", fields: Record<string, string> = {}): Promise<Page> {
  const csrfToken = await browser.csrf(base)
  return browser.post(`${base}/callback/credentials`, { csrfToken, username: "ada", password: "right", ...fields })
}

/** Runs with other environment variables; undefined takes one away. */
export function withEnv<T>(env: Record<string, string | undefined>, run: () => T): T {
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]))
  const set = (values: Record<string, string | undefined>) => {
    for (const [name, value] of Object.entries(values))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
  set(env)
  try {
    return run()
  } finally {
    set(before)
  }
}
