/**
 * The same tests on everything that an application may be built of.
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

/** Long enough for production. */
export const TEST_SECRET = "a secret for tests alone, of forty-eight letters"

export type StageName = "Auth()" | "Express 5" | "Express 4" | "Connect"

export interface AppRequest extends IncomingMessage {
  getSession(): Promise<Session | null>
}
export type Next = (error?: unknown) => void
export type Handler = (req: AppRequest, res: ServerResponse, next: Next) => unknown

/** What the server frameworks have in common. */
export interface TestApp {
  use(handler: Handler): unknown
  use(path: string, handler: Handler): unknown
  /** Express alone: `app.set?.("trust proxy", 1)`. */
  set?(name: string, value: unknown): unknown
}

export interface StartOptions {
  /** Before the middleware, on servers. */
  setup?: (app: TestApp) => void
  /** After the middleware, on servers. */
  routes?: (app: TestApp) => void
  /** Where browsers find the site; with "https:" the server takes its connections for TLS. @default its address */
  origin?: string
}

export interface RunningApp {
  readonly origin: string
  readonly basePath: string
  /** What reached the application's error handler. */
  readonly errors: unknown[]
  /** A new person's browser. */
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
 * The stages to run on: the core alone and one server, unless `TEST_STAGES` says others, `"Express 4,Connect"` or
 * `"all"`. What is a server's own is in test/express, on each of them.
 */
function wantedStages(): readonly string[] {
  const asked = process.env["TEST_STAGES"] ?? "Auth(),Express 5"
  return asked === "all" ? ["Auth()", ...SERVERS] : asked.split(",")
}

const WANTED = wantedStages()

/** Each night: all that can be tried is tried everywhere, also where it hardly differs. */
export const isThorough = process.env["TEST_STAGES"] === "all"

/** Of what does not depend on the server: every shape on one stage, and the first of them on the others. */
export const shapesOn =
  (stage: StageName, all: StageName = "Express 5") =>
  <T>(shapes: readonly T[]): readonly T[] =>
    stage === all || isThorough ? shapes : shapes.slice(0, 1)

/** Runs the tests on each stage that is wanted: `Auth()` alone, and real servers of Express 5, Express 4 and Connect. */
export function describeServers(
  name: string,
  tests: (start: Start, stage: StageName) => void,
  on: readonly StageName[] = ["Auth()", ...SERVERS],
): void {
  for (const stage of on) if (WANTED.includes(stage)) describeServer(name, stage, tests)
}

/** The same on one stage, for what does not depend on it. */
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

async function startAuth(config: AuthConfig, { origin = "http://app.test" }: StartOptions): Promise<RunningApp> {
  const basePath = basePathOf(config)
  // Once, as an application would: the library keeps what it worked out by this object.
  const ready = { trustHost: true, basePath, ...config }
  const send: Send = async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === "/public") return Response.json({ public: true })
    if (pathname === "/me")
      return Auth(new Request(`${origin}${basePath}/session`, { headers: request.headers }), ready)
    if (pathname === basePath || pathname.startsWith(`${basePath}/`)) return Auth(request, ready)
    return new Response("not found", { status: 404 })
  }
  const browser: RunningApp["browser"] = (options) => new Browser({ ...options, origin, send })
  return { origin, basePath, errors: [], browser, close: async () => {} }
}

type ServerApp = TestApp & RequestListener

/** Their own types differ in what they add; all are called and used alike. */
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

/** Each framework declares its own request and response, and tells error handlers by their four parameters. */
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
