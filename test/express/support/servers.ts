/** Serves the applications of the tests on a real port, with users who sign in with a password. */
import { createServer, type RequestListener } from "node:http"
import Credentials from "../../../lib/providers/credentials.js"
import type { AuthConfig } from "../../../lib/types.js"
import { TEST_SECRET } from "../../support/apps.js"
import { Browser, type BrowserOptions, type Page } from "../../support/browser.js"
import { listen } from "../../support/listen.js"
import { overNetwork } from "../../support/network.js"
import { recordingLogger } from "../../support/recording-logger.js"

export interface Server {
  /** The address at which the server listens. */
  readonly address: string
  /** Creates a new browser. With an origin, the server is reached as behind a proxy. */
  browser(options?: BrowserOptions): Browser
}

/** Serves applications until the tests of the file have ended. */
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

/** The arguments of a call of `authorize`. */
export type Attempt = { credentials: Partial<Record<string, unknown>>; request: Request }

/** A credentials provider that accepts the password "right" with any name. */
export function people(attempts: Attempt[] = []) {
  return Credentials({
    credentials: { username: { label: "Name" }, password: { type: "password" } },
    authorize: (credentials, request) => {
      attempts.push({ credentials, request })
      return credentials.password === "right" ? { id: "7", name: String(credentials.username) } : null
    },
  })
}

/** A valid configuration with a silent logger. */
export const configOf = (over: Partial<AuthConfig> = {}): AuthConfig => ({
  providers: [people()],
  secret: TEST_SECRET,
  logger: recordingLogger().logger,
  ...over,
})

/** Submits the form of the provider "credentials". */
export async function signIn(browser: Browser, base = "/auth", fields: Record<string, string> = {}): Promise<Page> {
  const csrfToken = await browser.csrf(base)
  return browser.post(`${base}/callback/credentials`, { csrfToken, username: "ada", password: "right", ...fields })
}

/** Runs with other environment variables; undefined removes one. */
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
