import type { Middleware } from "../express/node.js"
import type { EmailConfig } from "../provider-kit/provider.js"
import { markRendersCode } from "../provider-kit/send-mail.js"
import { createMailPages } from "./mailbox/pages.js"
import { type CapturedMail, MailStore } from "./mailbox/store.js"
import { refuseProduction } from "./refuse-production.js"

/** A mailbox that stores emails instead of sending them. */
export interface Mailbox {
  /** The provider for `providers`, with the id `email`. For another id: `{ ...inbox.provider, id: "nodemailer" }`. */
  readonly provider: EmailConfig
  /** The send function for another email provider: `Nodemailer({ …, sendVerificationRequest: inbox.send })`. */
  readonly send: EmailConfig["sendVerificationRequest"]
  /** Shows the emails to the developer, on this machine only: `app.use("/dev/emails", inbox.pages)`. */
  readonly pages: Middleware
  /** The last 20 emails, newest first. */
  readonly all: readonly CapturedMail[]
  /**
   * Returns the link of the newest email to an address. `link` and `code` return each email only once: if the newest
   * email was returned before, they wait for the next email.
   *
   * @param to the address, case-insensitive
   * @throws Error that lists the addresses of received emails, when no email arrives in time
   */
  link(to: string, options?: { readonly timeoutSeconds?: number }): Promise<string>
  /**
   * Returns the code of the newest email to an address, such as "CDFH-J479". It waits like `link`.
   *
   * @throws Error when no email arrives in time, or when it has no code
   */
  code(to: string, options?: { readonly timeoutSeconds?: number }): Promise<string>
  /** Deletes all emails. */
  clear(): void
}

/**
 * How long `link` and `code` wait. Shorter than the timeout of Jest and Vitest (5 s), so that the test fails with the
 * error of the mailbox, which states what arrived.
 */
const DEFAULT_TIMEOUT_SECONDS = 3

/**
 * Creates a mailbox for tests and development. It stores sign-in emails in memory, shows them on pages, and returns
 * their links to tests.
 *
 * @throws Error with NODE_ENV=production, because the emails contain valid links
 * @example
 * const inbox = mailbox()
 * app.use(authMiddleware({ providers: [inbox.provider], adapter }))
 * app.use("/dev/emails", inbox.pages)
 *
 * await agent.post("/auth/signin/email").type("form").send({ csrfToken, email: "ada@example.com" })
 * const { pathname, search } = new URL(await inbox.link("ada@example.com"))
 * await agent.get(pathname + search)
 */
export function mailbox(): Mailbox {
  refuseProduction("mailbox()")
  const store = new MailStore()
  const send = markRendersCode(({ identifier, url, code, mail }) => store.add({ to: identifier, url, code, ...mail }))
  const next: (...params: Parameters<Mailbox["link"]>) => Promise<CapturedMail> = (
    to,
    { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = {},
  ) => store.next(to, timeoutSeconds)
  return {
    provider: { id: "email", name: "Email", type: "email", sendVerificationRequest: send },
    send,
    pages: createMailPages(store),
    get all() {
      return store.all
    },
    link: async (to, options) => (await next(to, options)).url,
    async code(to, options) {
      const { code } = await next(to, options)
      if (code === undefined) throw new Error(`mailbox: the email to ${to} has no code, because emailCode is false`)
      return code
    },
    clear: () => store.clear(),
  }
}
