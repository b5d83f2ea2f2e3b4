/**
 * The same application on `@auth/express` and on latchkey: two servers under the same origin.
 *
 * @module
 */
import { createServer, type RequestListener } from "node:http"
import { ExpressAuth, type ExpressAuthConfig, getSession } from "@auth/express"
import express, { type ErrorRequestHandler, type Express } from "express"
import { authMiddleware } from "../../../lib/index.js"
import type { AuthConfig } from "../../../lib/types.js"
import { Browser, type BrowserOptions } from "../../support/browser.js"
import { listen } from "../../support/listen.js"
import { overNetwork, type Send } from "../../support/network.js"

export interface Site {
  readonly origin: string
  /** A new browser, or one with the cookies of a given jar. */
  browser(options?: Omit<BrowserOptions, "origin" | "send">): Browser
  close(): Promise<void>
}

export interface SiteOptions {
  /** With "https:", the site is behind a proxy that terminates TLS. */
  origin?: string
}

const ORIGIN = "http://app.test"

/** The application as the documentation of `@auth/express` shows it, with `/me` returning the session. */
export function startAuthjs(config: ExpressAuthConfig, options: SiteOptions = {}): Promise<Site> {
  const app = express()
  app.use("/auth", ExpressAuth(config))
  // `getSession` of Auth.js does not know the mount path, and reads the origin from forwarded headers.
  app.get("/me", async (req, res) => void res.json(await getSession(req, { ...config, basePath: "/auth" })))
  return startSite(app, options)
}

/** The same application on latchkey. */
export async function startLatchkey(config: AuthConfig, options: SiteOptions = {}): Promise<Site> {
  const app = express()
  app.use(authMiddleware(config))
  app.get("/me", async (req, res) => void res.json(await req.getSession()))
  return startSite(app, options)
}

async function startSite(app: Express, { origin = ORIGIN }: SiteOptions): Promise<Site> {
  app.set("trust proxy", true)
  app.use(onError)
  // An Express application is a request listener, but its type has more members.
  const { origin: address, close } = await listen(createServer(app as RequestListener))
  const send: Send = (request) => overNetwork(asForwarded(request, origin), address)
  return { origin, browser: (more) => new Browser({ ...more, origin, send }), close }
}

const onError: ErrorRequestHandler = (error, _req, res, _next) =>
  void res.status(Number(Object(error).status ?? 500)).json({ error: "internal error" })

/** Adds X-Forwarded-Proto as a proxy does. */
function asForwarded(request: Request, origin: string): Request {
  const headers = new Headers(request.headers)
  headers.set("x-forwarded-proto", new URL(origin).protocol.slice(0, -1))
  headers.set("host", new URL(origin).host)
  return new Request(request, { headers })
}

/** Copies the cookies of a browser to a browser of the other site. */
export function moveTo(site: Site, from: Browser, options?: Parameters<Site["browser"]>[0]): Browser {
  const browser = site.browser(options)
  for (const cookie of from.jar.all()) browser.jar.put(cookie)
  return browser
}
