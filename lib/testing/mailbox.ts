import type { Middleware } from "../express/node.js"
import type { EmailConfig } from "../providers/provider.js"
import { createMailPages } from "./mailbox/pages.js"
import { type CapturedMail, MailStore } from "./mailbox/store.js"
import { refuseProduction } from "./refuse-production.js"

/** Mails that are kept in place of being sent. */
export interface Mailbox {
  /** Goes into `providers`; its id is `email`. With another: `{ ...mails.provider, id: "nodemailer" }`. */
  readonly provider: EmailConfig
  /** For a provider of your own: `Nodemailer({ …, sendVerificationRequest: mails.send })`. */
  readonly send: EmailConfig["sendVerificationRequest"]
  /** Shows the mails to whoever develops, on this machine alone: `app.use("/dev/mails", mails.pages)`. */
  readonly pages: Middleware
  /** The last 20, the newest first. */
  readonly all: readonly CapturedMail[]
  /**
   * The link of the newest mail to an address. Each mail is given once: the next call waits for the next mail.
   *
   * @param to in whichever case
   * @throws Error when none comes in time, saying who got mail
   */
  link(to: string, options?: { readonly timeoutSeconds?: number }): Promise<string>
  /** Forgets all mails. */
  clear(): void
}

/** Shorter than the five seconds after which Jest and Vitest give up and say less. */
const DEFAULT_TIMEOUT_SECONDS = 3

/**
 * A mailbox for tests and for development: sign-in mails are kept in memory, shown on pages, and read by tests.
 *
 * @throws Error with NODE_ENV=production: whoever reads a mail can sign in with it
 * @example
 * const mails = mailbox()
 * app.use(authMiddleware({ providers: [mails.provider], adapter }))
 * app.use("/dev/mails", mails.pages)
 *
 * await agent.post("/auth/signin/email").type("form").send({ csrfToken, email: "ada@example.com" })
 * const { pathname, search } = new URL(await mails.link("ada@example.com"))
 * await agent.get(pathname + search)
 */
export function mailbox(): Mailbox {
  refuseProduction("mailbox()")
  const store = new MailStore()
  const send: Mailbox["send"] = ({ identifier, url, mail }) => store.add({ to: identifier, url, ...mail })
  return {
    provider: { id: "email", name: "Email", type: "email", sendVerificationRequest: send },
    send,
    pages: createMailPages(store),
    get all() {
      return store.all
    },
    link: async (to, { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = {}) => (await store.next(to, timeoutSeconds)).url,
    clear: () => store.clear(),
  }
}
