/**
 * Runs the same tests on `Auth()` and on all supported servers.
 *
 * @module
 */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import connect from "connect"
import express from "express"
import express4 from "express4"
import { Auth, authMiddleware } from "../../lib/index.js"
import type { AuthConfig, Session } from "../../lib/types.js"
import { Browser, type BrowserOptions } from "./browser.js"
import { listen } from "./listen.js"
import { overNetwork, type Send } from "./network.js"

export { recordingLogger } from "./recording-logger.js"

/** A secret that is long enough for production. */
export const TEST_SECRET = "a secret for tests alone, of forty-eight letters"

export type StageName = "Auth()" | "Express 5" | "Express 4" | "Connect"

export interface AppRequest extends IncomingMessage {
  getSession(): Promise<Session | null>
}
export type Next = (error?: unknown) => void
export type Handler = (req: AppRequest, res: ServerResponse, next: Next) => unknown

/** The common interface of the server frameworks. */
export interface TestApp {
  use(handler: Handler): unknown
  use(path: string, handler: Handler): unknown
  /** Express only: `app.set?.("trust proxy", 1)`. */
  set?(name: string, value: unknown): unknown
}

export interface StartOptions {
  /** Runs before the middleware is mounted, on servers. */
  setup?: (app: TestApp) => void
  /** Runs after the middleware is mounted, on servers. */
  routes?: (app: TestApp) => void
  /** The application's pages at the stage `Auth()`. */
  pages?: (request: Request, config: AuthConfig) => Promise<Response | undefined>
  /** The origin for browsers. With "https:" the server treats connections as TLS. @default the server's address */
  origin?: string
}

export interface RunningApp {
  readonly origin: string
  readonly basePath: string
  /** The errors that reached the application's error handler. */
  readonly errors: unknown[]
  /** A new browser without cookies. */
  browser(options?: Omit<BrowserOptions, "origin" | "send">): Browser
  close(): Promise<void>
}

/**
 * Starts an application with the middleware, `/me` (the session as JSON) and `/public`. It is closed after the last test
 * of its `describe`.
 */
export type Start = (config: AuthConfig, options?: StartOptions) => Promise<RunningApp>

/** The stages with a server. */
export const SERVERS: readonly StageName[] = ["Express 5", "Express 4", "Connect"]

/**
 * The stages to run on: `Auth()` and Express 5, or those of `TEST_STAGES`: `"Express 4,Connect"` or `"all"`. Tests that
 * depend on the server are in test/express, and run on each of them.
 */
function wantedStages(): readonly string[] {
  const asked = process.env["TEST_STAGES"] ?? "Auth(),Express 5"
  return asked === "all" ? ["Auth()", ...SERVERS] : asked.split(",")
}

const WANTED = wantedStages()

/** True in the nightly run, which tries all variants on all stages. */
export const isThorough = process.env["TEST_STAGES"] === "all"

/** For variants that do not depend on the server: all of them on one stage, and only the first on the others. */
export const shapesOn =
  (stage: StageName, all: StageName = "Express 5") =>
  <T>(shapes: readonly T[]): readonly T[] =>
    stage === all || isThorough ? shapes : shapes.slice(0, 1)

/** Runs the tests on each selected stage: `Auth()`, Express 5, Express 4 and Connect. */
export function describeServers(
  name: string,
  tests: (start: Start, stage: StageName) => void,
  on: readonly StageName[] = ["Auth()", ...SERVERS],
): void {
  for (const stage of on) if (WANTED.includes(stage)) describeServer(name, stage, tests)
}

/** Runs the tests on one stage, for rules that do not depend on the server. */
export function describeServer(name: string, stage: StageName, tests: (start: Start, stage: StageName) => void): void {
  const start = new Map(STAGES).get(stage)
  if (!start) throw new Error(`there is no stage ${stage}`)
  describe(`${name}: ${stage}`, () => {
    const running: RunningApp[] = []
    afterAll(() => Promise.all(running.map((app) => app.close())))
    tests(async (config, options = {}) => {
      const app = await start(config, options)
      running.push(app)
      return app
    }, stage)
  })
}

type StageStart = (config: AuthConfig, options: StartOptions) => Promise<RunningApp>

const STAGES: readonly [StageName, StageStart][] = [
  ["Auth()", startAuth],
  ["Express 5", (config, options) => startServer(toTestApp(express()), config, options)],
  ["Express 4", (config, options) => startServer(toTestApp(express4()), config, options)],
  ["Connect", (config, options) => startServer(toTestApp(connect()), config, options)],
]

const basePathOf = ({ basePath, prefix }: AuthConfig) => basePath ?? prefix ?? "/auth"

async function startAuth(config: AuthConfig, { origin = "http://app.test", pages }: StartOptions): Promise<RunningApp> {
  const basePath = basePathOf(config)
  // One object for all requests: the library caches by the configuration's identity.
  const ready = { trustHost: true, basePath, ...config }
  const send: Send = async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === "/public") return Response.json({ public: true })
    if (pathname === "/me")
      return Auth(new Request(`${origin}${basePath}/session`, { headers: request.headers }), ready)
    if (pathname === basePath || pathname.startsWith(`${basePath}/`)) return Auth(request, ready)
    return (await pages?.(request, ready)) ?? new Response("not found", { status: 404 })
  }
  const browser: RunningApp["browser"] = (options) => new Browser({ ...options, origin, send })
  return { origin, basePath, errors: [], browser, close: async () => {} }
}

type ServerApp = TestApp & RequestListener

/** The types of the frameworks differ, but their interface is the same. */
const toTestApp = (app: unknown) => app as ServerApp

async function startServer(app: ServerApp, config: AuthConfig, options: StartOptions): Promise<RunningApp> {
  const errors: unknown[] = []
  options.setup?.(app)
  app.use(toHandler(authMiddleware(config)))
  app.use("/me", (req, res, next) => req.getSession().then((session) => sendJson(res, 200, session), next))
  app.use("/public", (_req, res) => sendJson(res, 200, { public: true }))
  options.routes?.(app)
  app.use(toHandler(errorHandler(errors)))
  const server = createServer(app)
  if (options.origin?.startsWith("https:"))
    server.on("connection", (socket) => Object.assign(socket, { encrypted: true }))
  const { origin: address, close } = await listen(server)
  const origin = options.origin ?? address
  const send: Send = (request) => overNetwork(request, address)
  const browser: RunningApp["browser"] = (more) => new Browser({ ...more, origin, send })
  return { origin, basePath: basePathOf(config), errors, browser, close }
}

/** Each framework declares its own request and response, and recognizes error handlers by their four parameters. */
const toHandler = (middleware: unknown) => middleware as Handler

function errorHandler(errors: unknown[]) {
  return (error: unknown, _req: IncomingMessage, res: ServerResponse, _next: Next) => {
    errors.push(error)
    const { status, expose, message } = Object(error)
    if (res.headersSent) return res.destroy()
    return sendJson(res, typeof status === "number" ? status : 500, { error: expose ? message : "internal error" })
  }
}

function sendJson(res: ServerResponse, status: number, value: unknown): void {
  res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
}
