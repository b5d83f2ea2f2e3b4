/**
 * Sign-in links: an email provider that records emails, an application with it, and the actions of users.
 *
 * @module
 */
import type { Adapter } from "../../../lib/adapters/adapter.js"
import type { EmailConfig } from "../../../lib/provider-kit/provider.js"
import type { AuthConfig, EventsOptions } from "../../../lib/types.js"
import { type RunningApp, recordingLogger, type Start, type StartOptions, TEST_SECRET } from "../../support/apps.js"
import type { Browser, Page, Visit } from "../../support/browser.js"
import type { LogRecord } from "../../support/recording-logger.js"
import { deepFreeze } from "./guard.js"
import { type MemoryStore, memoryStore, ownMethods } from "./memory-adapter.js"

export type Sent = Parameters<EmailConfig["sendVerificationRequest"]>[0]

export interface Mailbox {
  readonly sent: Sent[]
  readonly provider: EmailConfig
  /** The newest link for an address. */
  linkTo(address: string): string
  /** The code of the newest email to an address. */
  codeFor(address: string): string
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
  const newest = (address: string) => {
    const found = sent.findLast(({ identifier }) => identifier === address)
    if (!found) throw new Error(`nothing was sent to ${address}, only to ${sent.map((s) => s.identifier).join()}`)
    return found
  }
  return {
    sent,
    provider,
    linkTo: (address) => newest(address).url,
    codeFor(address) {
      const { code } = newest(address)
      if (code === undefined) throw new Error(`the email to ${address} has no code`)
      return code
    },
  }
}

export interface MailSite {
  readonly app: RunningApp
  readonly mail: Mailbox
  readonly store: MemoryStore
  /** The application's time. */
  readonly time: { now: number }
  readonly events: { name: keyof EventsOptions; message: unknown }[]
  /** The logged warnings and errors. */
  failures(): LogRecord[]
  /** Everything that reached the logger, as text. */
  logText(): string
  /** Clears the log and the events. */
  forget(): void
  browser: RunningApp["browser"]
}

export interface MailSiteOptions {
  /** Overrides of the email provider. */
  mail?: Partial<EmailConfig>
  config?: Partial<AuthConfig>
  store?: MemoryStore
  /** Overrides of adapter methods. */
  over?: (adapter: Adapter) => Partial<Adapter>
  /** Omits the methods that only latchkey's adapters have. @default false */
  isPlain?: boolean
  start?: StartOptions
}

const EVENTS = ["signIn", "signOut", "createUser", "updateUser", "linkAccount", "session"] as const

/** Starts an application whose first provider is a mailbox. Its configuration is deeply frozen. */
export async function startMailSite(start: Start, options: MailSiteOptions = {}): Promise<MailSite> {
  const { mail: mailOptions, config, store = memoryStore(), over, isPlain = false, start: startOptions } = options
  const mail = mailbox(mailOptions)
  const { logger, records, text, forget } = recordingLogger()
  const events: MailSite["events"] = []
  const time = { now: Date.now() }
  const adapter = { ...store.adapter, ...(!isPlain && ownMethods(store)) }
  const frozen = deepFreeze({
    providers: [mail.provider],
    secret: TEST_SECRET,
    logger,
    clock: () => time.now,
    events: Object.fromEntries(
      EVENTS.map((name) => [name, (message: unknown) => void events.push({ name, message })]),
    ) as EventsOptions,
    adapter: { ...adapter, ...over?.(adapter) },
    ...config,
  } satisfies AuthConfig)
  // The readonly type is compatible: the configuration is not modified.
  const app = await start(frozen as AuthConfig, startOptions)
  forget()
  return {
    ...{ app, mail, store, time, events },
    failures: () => [...records],
    logText: text,
    forget() {
      forget()
      events.length = 0
    },
    browser: (more) => app.browser({ now: () => time.now, ...more }),
  }
}

/** After this time, a browser can request another email to the same address. */
export const RESEND_MS = 30_000

/** Requests a link like the form on the sign-in page. */
export async function askForLink(
  browser: Browser,
  email: string,
  more: Record<string, string> = {},
  init: Visit = {},
): Promise<Page> {
  const csrfToken = await browser.csrf()
  return browser.post("/auth/signin/mail", { csrfToken, email, ...more }, init)
}

/** Opens a link in a browser that did not request it, and confirms the page. */
export async function confirmLink(browser: Browser, link: string): Promise<Page> {
  const page = await browser.get(link)
  if (page.status !== 200) throw new Error(`expected a confirmation page, got ${page.status} ${page.location}`)
  return browser.submit(browser.form(await page.text()))
}

/** Opens a link in any browser, and confirms the page if there is one. */
export async function openLink(browser: Browser, link: string): Promise<Page> {
  const page = await browser.get(link)
  return page.status === 200 ? browser.submit(browser.form(await page.text())) : page
}

/** Enters a code on the page "Check your email". */
export async function enterCode(browser: Browser, code: string, init: Visit = {}): Promise<Page> {
  const page = await browser.get("/auth/verify-request")
  return browser.submit(browser.form(await page.text(), "/auth/callback/"), { code }, init)
}

/** A code of the right form that differs from the given one in its last character. */
export const wrongCode = (code: string): string => code.slice(0, -1) + (code.endsWith("C") ? "D" : "C")

/** Requests a link and opens it in the same browser, without a confirmation page. */
export async function signInByMail(site: MailSite, browser: Browser, email: string): Promise<Page> {
  await askForLink(browser, email)
  return browser.get(site.mail.linkTo(email))
}

/** The error code in a redirect. */
export const errorOf = (page: Page): string => new URL(page.location).searchParams.get("error") ?? ""
