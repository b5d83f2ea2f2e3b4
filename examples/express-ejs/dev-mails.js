/**
 * A mailbox for development: sign-in mails are kept in memory and shown to everybody. Nothing of it belongs into an
 * application that others can reach.
 */
import { Router } from "express"

const MAX_MAILS = 20

const MAIL_POLICY = [
  ...["default-src 'none'", "style-src 'unsafe-inline'", "base-uri 'none'", "frame-ancestors 'self'"],
  "sandbox allow-top-navigation-by-user-activation",
].join("; ")

/** `send` for an e-mail provider, and `pages` that show what it was given. */
export function createDevMails() {
  const mails = []
  let count = 0
  // As /dev/mails shows them: the newest first.
  const send = ({ identifier, mail }) => {
    count += 1
    mails.unshift({ id: String(count), to: identifier, sentAt: new Date(), ...mail })
    mails.splice(MAX_MAILS)
  }
  return { send, pages: createPages(mails) }
}

function createPages(mails) {
  const pages = Router()
  const findMail = (req, res, next) => {
    res.locals.mail = mails.find(({ id }) => id === req.params.id)
    next(res.locals.mail ? undefined : "route")
  }
  pages.get("/", (_req, res) => res.render("mails", { mails, mail: mails[0] }))
  pages.get("/:id", findMail, (_req, res) => res.render("mails", { mails }))

  // A page of its own in a frame, because mails bring styles along that ours refuse. The link opens outside the frame.
  pages.get("/:id/html", findMail, (_req, res) => {
    res.set("Content-Security-Policy", MAIL_POLICY)
    res.send(res.locals.mail.html.replace("<head>", '<head>\n  <base target="_top">'))
  })
  return pages
}
