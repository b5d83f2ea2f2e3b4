/**
 * The same application on both packages, with a shared adapter and mailbox, and sign-in by email links.
 *
 * @module
 */
import type { AuthConfig as AuthjsConfig } from "@auth/core"
import type { AuthConfig } from "../../../lib/types.js"
import type { Browser } from "../../support/browser.js"
import { SECRET } from "./case.js"
import { createMailbox } from "./mailbox.js"
import { type Site, startAuthjs, startLatchkey } from "./sites.js"
import { createStore } from "./store.js"

const SILENT = { error() {}, warn() {}, debug() {} }

/** Starts both applications. `more` are options of the configuration, `mail` of the email provider. */
export async function startBoth(more: object = {}, mail: object = {}) {
  const store = createStore([])
  const mailbox = createMailbox([])
  const settings = {
    ...{ trustHost: true, secret: SECRET, logger: SILENT, adapter: store.adapter },
    providers: [mailbox.provider(mail)],
    ...more,
  }
  // The configuration fits both packages. Auth.js adds options to the object.
  const config = settings as unknown as AuthConfig
  const authjs = await startAuthjs({ ...settings } as unknown as AuthjsConfig)
  const latchkey = await startLatchkey(config)
  const close = () => Promise.all([authjs.close(), latchkey.close()])
  return { store, mailbox, config, sites: { authjs, latchkey }, close }
}

/** Requests an email link in a new browser, which is returned. */
export async function requestLink(site: Site, email: string): Promise<Browser> {
  const browser = site.browser()
  await browser.post("/auth/signin/mail", { csrfToken: await browser.csrf(), email })
  return browser
}

/** The email address of the session at the session endpoint. */
export async function readEmail(browser: Browser): Promise<unknown> {
  const session: unknown = await (await browser.get("/auth/session")).json()
  return Object(Object(session).user).email
}
