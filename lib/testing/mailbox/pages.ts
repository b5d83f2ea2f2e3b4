import type { ServerResponse } from "node:http"
import { isLoopbackRequest } from "../../base/loopback.js"
import { mountPath } from "../../express/mount.js"
import { type Middleware, type NodeRequest, readPath } from "../../express/node.js"
import { toHeaders } from "../../express/web-request.js"
import type { CapturedMail, MailStore } from "./store.js"
import { renderInbox, renderMailFrame, STYLE } from "./view.js"

/** The Content-Security-Policy of the pages. A policy that the application has set takes precedence. */
const PAGE_CSP = [
  ...["default-src 'none'", "style-src 'self'", "frame-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ")

/** The Content-Security-Policy of an email: no scripts, only inline styles, and no access to the page's origin. */
const MAIL_CSP = [
  ...["default-src 'none'", "style-src 'unsafe-inline'", "base-uri 'none'", "frame-ancestors 'self'"],
  "sandbox allow-top-navigation-by-user-activation",
].join("; ")

const HTML = "text/html; charset=utf-8"

function send(res: ServerResponse, type: string, text: string): void {
  res.setHeader("Content-Type", type)
  res.setHeader("Cache-Control", "no-store")
  res.setHeader("Referrer-Policy", "no-referrer")
  res.setHeader("X-Content-Type-Options", "nosniff")
  res.end(text)
}

function sendMail(res: ServerResponse, mail: CapturedMail): void {
  res.setHeader("Content-Security-Policy", MAIL_CSP)
  send(res, HTML, renderMailFrame(mail))
}

function sendPage(res: ServerResponse, page: string): void {
  if (!res.hasHeader("Content-Security-Policy")) res.setHeader("Content-Security-Policy", PAGE_CSP)
  send(res, HTML, page)
}

const FORBIDDEN_MESSAGE =
  "These emails contain valid sign-in links, so this page works only on the machine that runs the application. Open it at http://localhost with the application's port, without a proxy. In a test, use await inbox.link(to)\n"

/**
 * True for a request from a browser on this machine to a loopback host, which excludes sites that use DNS rebinding.
 */
const isLocalRequest = (req: NodeRequest): boolean =>
  isLoopbackRequest({
    clientAddress: req.socket.remoteAddress,
    headers: toHeaders(req),
    origin: `http://${req.headers.host}`,
  })

function sendForbidden(res: ServerResponse): void {
  res.statusCode = 403
  send(res, "text/plain; charset=utf-8", FORBIDDEN_MESSAGE)
}

/** Returns the handler for `/`, `/style.css`, `/<id>` and `/<id>/html`; undefined for other paths. */
function findHandler(
  path: string,
  { all: mails }: MailStore,
  basePath: string,
): ((res: ServerResponse) => void) | undefined {
  if (path === "/") return (res) => sendPage(res, renderInbox(mails, mails[0], basePath))
  if (path === "/style.css") return (res) => send(res, "text/css; charset=utf-8", STYLE)
  const [, id, htmlPart] = /^\/(\d+)(\/html)?$/.exec(path) ?? []
  const mail = mails.find((candidate) => candidate.id === id)
  if (!mail) return undefined
  return (res) => (htmlPart ? sendMail(res, mail) : sendPage(res, renderInbox(mails, mail, basePath)))
}

/** Creates the middleware of the pages. Other paths are passed to the next handler. */
export const createMailPages =
  (store: MailStore): Middleware =>
  (req, res, next) => {
    const isRead = req.method === "GET" || req.method === "HEAD"
    const handler = isRead ? findHandler(readPath(req.url), store, mountPath(req)) : undefined
    if (!handler) return next()
    if (isLocalRequest(req)) handler(res)
    else sendForbidden(res)
  }
