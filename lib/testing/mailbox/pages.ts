import type { ServerResponse } from "node:http"
import { toHeaders } from "../../express/incoming.js"
import { mountPath } from "../../express/mount.js"
import { type Middleware, type NodeRequest, pathOf } from "../../express/node.js"
import { isFromThisMachine } from "../../security/this-machine.js"
import type { CapturedMail, MailStore } from "./store.js"
import { framedMail, mailsPage, STYLE } from "./view.js"

/** Of our own page; an application that has sent one keeps its own. */
const PAGE_POLICY = [
  ...["default-src 'none'", "style-src 'self'", "frame-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ")

/** Of a mail, which brings styles along that other pages refuse; without scripts, and as a site of its own. */
const MAIL_POLICY = [
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
  res.setHeader("Content-Security-Policy", MAIL_POLICY)
  send(res, HTML, framedMail(mail))
}

function sendPage(res: ServerResponse, page: string): void {
  if (!res.hasHeader("Content-Security-Policy")) res.setHeader("Content-Security-Policy", PAGE_POLICY)
  send(res, HTML, page)
}

const REFUSAL =
  "These mails are shown to this machine alone: whoever reads one can sign in with it. Open http://localhost with the port of the application, without a proxy, or read them in a test: await mails.link(to)\n"

/** Whoever else reaches the port is to read none: a neighbour in the network, or another site by DNS rebinding. */
const isHere = (req: NodeRequest): boolean =>
  isFromThisMachine({
    clientAddress: req.socket.remoteAddress,
    headers: toHeaders(req),
    origin: `http://${req.headers.host}`,
  })

function refuse(res: ServerResponse): void {
  res.statusCode = 403
  send(res, "text/plain; charset=utf-8", REFUSAL)
}

/** `/`, `/style.css`, `/<id>` and `/<id>/html`; undefined for everything else. */
function answerAt(path: string, { all }: MailStore, base: string): ((res: ServerResponse) => void) | undefined {
  if (path === "/") return (res) => sendPage(res, mailsPage(all, all[0], base))
  if (path === "/style.css") return (res) => send(res, "text/css; charset=utf-8", STYLE)
  const [, id, part] = /^\/(\d+)(\/html)?$/.exec(path) ?? []
  const mail = all.find((one) => one.id === id)
  if (!mail) return undefined
  return (res) => (part ? sendMail(res, mail) : sendPage(res, mailsPage(all, mail, base)))
}

/** What is none of its addresses is left to others. */
export const createMailPages =
  (store: MailStore): Middleware =>
  (req, res, next) => {
    const isRead = req.method === "GET" || req.method === "HEAD"
    const answer = isRead ? answerAt(pathOf(req.url), store, mountPath(req)) : undefined
    if (!answer) return next()
    if (isHere(req)) answer(res)
    else refuse(res)
  }
