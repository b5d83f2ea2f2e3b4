/**
 * Sign-in links: a mail provider that keeps what it was to send, an application with it, and what people do there.
 *
 * @module
 */
import type { Adapter } from "../../../lib/adapters/adapter.js"
import type { EmailConfig } from "../../../lib/providers/provider.js"
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

export interface MailSite {
  readonly app: RunningApp
  readonly mail: Mailbox
  readonly store: MemoryStore
  /** What the application believes to be the time. */
  readonly time: { now: number }
  readonly events: { name: keyof EventsOptions; message: unknown }[]
  /** What an operator is told. */
  failures(): LogRecord[]
  /** Everything that reached the logger, as text. */
  logText(): string
  /** Forgets log and events so far. */
  forget(): void
  browser: RunningApp["browser"]
}

export interface MailSiteOptions {
  /** Over the provider of links. */
  mail?: Partial<EmailConfig>
  config?: Partial<AuthConfig>
  store?: MemoryStore
  /** Methods over the store's. */
  over?: (adapter: Adapter) => Partial<Adapter>
  /** Without the methods that only our own adapters have. @default false */
  isPlain?: boolean
  start?: StartOptions
}

const EVENTS = ["signIn", "signOut", "createUser", "updateUser", "linkAccount", "session"] as const

/** Starts an application whose first provider is a mailbox. Its configuration is frozen to the bottom. */
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
  // Frozen objects fit: nobody writes to them.
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

/** Asks for a link as the form does. */
export async function askForLink(
  browser: Browser,
  email: string,
  more: Record<string, string> = {},
  init: Visit = {},
): Promise<Page> {
  const csrfToken = await browser.csrf()
  return browser.post("/auth/signin/mail", { csrfToken, email, ...more }, init)
}

/** Opens a link as a person does in a browser that did not ask for it: looks at the page and presses the button. */
export async function confirmLink(browser: Browser, link: string): Promise<Page> {
  const page = await browser.get(link)
  if (page.status !== 200) throw new Error(`no page asks, but ${page.status} ${page.location}`)
  return browser.submit(browser.form(await page.text()))
}

/** Opens a link in whatever browser: where a page asks, its button is pressed. */
export async function openLink(browser: Browser, link: string): Promise<Page> {
  const page = await browser.get(link)
  return page.status === 200 ? browser.submit(browser.form(await page.text())) : page
}

/** Asks for a link and opens it in the same browser, which is not asked whether it means it. */
export async function signInByMail(site: MailSite, browser: Browser, email: string): Promise<Page> {
  await askForLink(browser, email)
  return browser.get(site.mail.linkTo(email))
}

/** What an address says went wrong. */
export const errorOf = (page: Page): string => new URL(page.location).searchParams.get("error") ?? ""
