/**
 * A mail provider that keeps what it was to send.
 *
 * @module
 */
import type { EmailConfig } from "../../../lib/providers/provider.js"
import type { Browser, Page } from "../../support/browser.js"

type Sent = Parameters<EmailConfig["sendVerificationRequest"]>[0]

export interface Mailbox {
  readonly sent: Sent[]
  readonly provider: EmailConfig
  /** The newest link that was sent to an address. */
  linkTo(address: string): string
}

export function mailbox(options: Partial<EmailConfig> = {}): Mailbox {
  const sent: Sent[] = []
  const provider: EmailConfig = {
    id: "mail",
    name: "Mail",
    type: "email",
    sendVerificationRequest(params) {
      sent.push(params)
    },
    ...options,
  }
  return {
    sent,
    provider,
    linkTo(address) {
      const found = sent.findLast(({ identifier }) => identifier === address)
      if (!found) throw new Error(`nothing was sent to ${address}, only to ${sent.map((s) => s.identifier).join()}`)
      return found.url
    },
  }
}

/** Asks for a link as the form does. */
export async function askForLink(browser: Browser, email: string, more: Record<string, string> = {}): Promise<Page> {
  const csrfToken = await browser.csrf()
  return browser.post("/auth/signin/mail", { csrfToken, email, ...more })
}
