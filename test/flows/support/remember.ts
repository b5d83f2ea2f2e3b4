/**
 * An application in which users choose whether they stay signed in, and all ways to sign in to it.
 *
 * @module
 */
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig, SessionOptions } from "../../../lib/types.js"
import { type RunningApp, recordingLogger, type Start, type StartOptions, TEST_SECRET } from "../../support/apps.js"
import { createPasskey, usePasskey } from "../../support/authenticator.js"
import type { Browser } from "../../support/browser.js"
import type { FaultyProvider } from "../../support/faulty-provider.js"
import { meet } from "../../support/requirements.js"
import { askForLink, confirmLink, type Mailbox, mailbox } from "./mail.js"
import { optionsFor, register } from "./passkeys.js"
import { named, openCallback, sessionCookies, sessionOf } from "./site.js"

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const CHECKED = { remember: "true" }
export const UNCHECKED = {}

/** The fields that the checkbox adds to a form. */
export type Choice = Readonly<Record<string, string>>

export interface RememberSite {
  readonly app: RunningApp
  readonly op: FaultyProvider
  readonly mail: Mailbox
  readonly time: { now: number }
  readonly config: AuthConfig
  browser(): Browser
}

export interface RememberOptions {
  readonly op: FaultyProvider
  readonly session: SessionOptions
  readonly config?: Partial<AuthConfig>
  readonly start?: StartOptions
}

export async function startRememberSite(
  start: Start,
  { op, session, config: over, start: startOptions = {} }: RememberOptions,
): Promise<RememberSite> {
  const [mail, time] = [mailbox(), { now: Date.now() }]
  const formPost = op.oidc({ authorization: { params: { response_mode: "form_post" } } })
  const adapter = MemoryAdapter()
  const alice = { id: "7", name: "Alice", email: EMAIL, emailVerified: null }
  const authorize = async ({ password }: Partial<Record<string, unknown>>) =>
    password === "wrong" ? null : ((await adapter.getUserByEmail(EMAIL)) ?? adapter.createUser(alice))
  const config: AuthConfig = {
    secret: TEST_SECRET,
    logger: recordingLogger().logger,
    providers: [op.oidc(), named(formPost, "posted"), mail.provider, Passkey, Credentials({ authorize })],
    adapter,
    session: { remember: "ask", ...session },
    clock: () => time.now,
    ...over,
  }
  const app = await start(config, startOptions)
  return { app, op, mail, time, config, browser: () => app.browser({ now: () => time.now }) }
}

export const EMAIL = "alice@example.com"

/** Signs in, and returns the browser that has the session. */
export type Method = (site: RememberSite, choice: Choice) => Promise<Browser>

const startAt = async (browser: Browser, id: string, choice: Choice) =>
  (await browser.post(`/auth/signin/${id}`, { csrfToken: await browser.csrf(), ...choice })).location

export const byCredentials: Method = async (site, choice) => {
  const browser = site.browser()
  await browser.post("/auth/callback/credentials", { csrfToken: await browser.csrf(), ...choice })
  return browser
}

/** Signs in with the provider in a given browser. */
export async function signInWithProvider(browser: Browser, { op }: RememberSite, choice: Choice): Promise<void> {
  await openCallback(browser, op, await op.authorize(await startAt(browser, "oidc", choice)))
}

const byProvider: Method = async (site, choice) => {
  const browser = site.browser()
  await signInWithProvider(browser, site, choice)
  return browser
}

const byFormPost: Method = async (site, choice) => {
  const browser = site.browser()
  const { action, fields } = await site.op.authorizeByForm(await startAt(browser, "posted", choice))
  const posted = await browser.post(action, fields, { from: site.op.issuer })
  await browser.get(posted.location, { from: site.op.issuer })
  return browser
}

export const byLink: Method = async (site, choice) => {
  const browser = site.browser()
  await askForLink(browser, EMAIL, choice)
  await browser.get(site.mail.linkTo(EMAIL))
  return browser
}

const byLinkElsewhere: Method = async (site, choice) => {
  const other = site.browser()
  await askForLink(site.browser(), EMAIL, choice)
  await confirmLink(other, site.mail.linkTo(EMAIL))
  return other
}

const byNewPasskey: Method = async (site, choice) => {
  const browser = site.browser()
  const { options } = await optionsFor(browser, { action: "register", email: EMAIL })
  const { response } = createPasskey(options, { origin: site.app.origin })
  const data = JSON.stringify(response)
  await browser.post("/auth/callback/passkey", { action: "register", data, callbackUrl: "/me", ...choice })
  return browser
}

const byPasskey: Method = async (site, choice) => {
  const { origin } = site.app
  const first = site.browser()
  const { passkey } = await register(first, origin, { email: EMAIL })
  if (site.config.requirements) await meet(first)
  const browser = site.browser()
  const { options } = await optionsFor(browser, { action: "authenticate" })
  const data = JSON.stringify(usePasskey(passkey, options, { origin }))
  await browser.post("/auth/callback/passkey", { action: "authenticate", data, callbackUrl: "/me", ...choice })
  return browser
}

export const METHODS: readonly [name: string, method: Method][] = [
  ["credentials", byCredentials],
  ["a provider", byProvider],
  ["form_post", byFormPost],
  ["an email link", byLink],
  ["an email link in another browser", byLinkElsewhere],
  ["a new passkey", byNewPasskey],
  ["a passkey", byPasskey],
]

/** The kind of the browser's session: whether its cookies are persistent, and the hours until it ends. */
export async function describeSession(browser: Browser, { time }: Pick<RememberSite, "time">) {
  const session = await sessionOf(browser)
  const cookies = sessionCookies(browser).map(({ expiresAt }) => expiresAt !== undefined)
  if (!session) return null
  const hours = Math.round((Date.parse(String(session.expires)) - time.now) / HOUR_MS)
  return { isPersistent: cookies.length > 0 && cookies.every(Boolean), isMixed: new Set(cookies).size !== 1, hours }
}

export const PERSISTENT = { isPersistent: true, isMixed: false, hours: 30 * 24 }
export const TRANSIENT = { isPersistent: false, isMixed: false, hours: 24 }
