/**
 * One application on `@auth/express` and the same on ours: real servers that believe to be at one address.
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
  /** A new person's browser; one that has cookies of the other site's when that one's jar is given. */
  browser(options?: Omit<BrowserOptions, "origin" | "send">): Browser
  close(): Promise<void>
}

export interface SiteOptions {
  /** With "https:" the site is behind a proxy that ends TLS. */
  origin?: string
}

const ORIGIN = "http://app.test"

/** As the documentation of `@auth/express` has it: the handler under `/auth`, and `/me` with the session as JSON. */
export function startAuthjs(config: ExpressAuthConfig, options: SiteOptions = {}): Promise<Site> {
  const app = express()
  app.use("/auth", ExpressAuth(config))
  // It forgets where it is mounted when it is asked for a session, and takes the origin from the forwarded headers.
  app.get("/me", async (req, res) => void res.json(await getSession(req, { ...config, basePath: "/auth" })))
  return startSite(app, options)
}

/** The same on ours. */
export async function startLatchkey(config: AuthConfig, options: SiteOptions = {}): Promise<Site> {
  const app = express()
  app.use(authMiddleware(config))
  app.get("/me", async (req, res) => void res.json(await req.getSession()))
  return startSite(app, options)
}

async function startSite(app: Express, { origin = ORIGIN }: SiteOptions): Promise<Site> {
  app.set("trust proxy", true)
  app.use(onError)
  // Express' application is a listener; its own type says more than that.
  const { origin: address, close } = await listen(createServer(app as RequestListener))
  const send: Send = (request) => overNetwork(asForwarded(request, origin), address)
  return { origin, browser: (more) => new Browser({ ...more, origin, send }), close }
}

const onError: ErrorRequestHandler = (error, _req, res, _next) =>
  void res.status(Number(Object(error).status ?? 500)).json({ error: "internal error" })

/** Says the scheme as a proxy does. */
function asForwarded(request: Request, origin: string): Request {
  const headers = new Headers(request.headers)
  headers.set("x-forwarded-proto", new URL(origin).protocol.slice(0, -1))
  headers.set("host", new URL(origin).host)
  return new Request(request, { headers })
}

/** The same person at another site: the cookies of one browser in a browser of the other. */
export function moveTo(site: Site, from: Browser, options?: Parameters<Site["browser"]>[0]): Browser {
  const browser = site.browser(options)
  for (const cookie of from.jar.all()) browser.jar.put(cookie)
  return browser
}
