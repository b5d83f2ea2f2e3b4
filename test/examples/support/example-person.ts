/**
 * A user of the example, with a browser that runs no scripts.
 *
 * @module
 */
import { Browser, type Page } from "../../support/browser.js"
import { decodeEntities } from "../../support/html.js"

const MAIL_LINK = /<a href="([^"]*\/auth\/callback\/email[^"]*)"/

export class ExamplePerson {
  readonly browser: Browser

  constructor(origin: string) {
    this.browser = new Browser({ origin })
  }

  open(path: string): Promise<Page> {
    return this.browser.get(path, { follow: true })
  }

  /** Submits the form of a page that is posted to `action`. */
  async submitOn(page: Page, action: string, fields: Record<string, string> = {}): Promise<Page> {
    return this.browser.submit(this.browser.form(await page.text(), action), fields, { follow: true })
  }

  async signInWithPassword(password = "wonderland"): Promise<Page> {
    return this.submitOn(await this.open("/profile"), "/auth/callback/credentials", { username: "carol", password })
  }

  /** Signs in at the provider from a guarded page, or cancels there. */
  async goToProvider(path: string, user: "alice" | "bob" | "cancel"): Promise<Page> {
    const page = await this.open(path)
    const choice = await this.submitOn(page, "/auth/signin/dev")
    return this.submitOn(choice, "/choose", user === "cancel" ? { mode: "deny" } : { user })
  }

  async askForLink(email: string, path = "/profile"): Promise<Page> {
    return this.submitOn(await this.open(path), "/auth/signin/email", { email })
  }

  /** The link of the newest email, from the development page. */
  async newestLink(): Promise<string> {
    const html = await (await this.open("/dev/mails")).text()
    const [, href] = MAIL_LINK.exec(html) ?? []
    if (!href) throw new Error(`no link in:\n${html}`)
    return decodeEntities(href)
  }

  async signInByEmail(email: string, path?: string): Promise<Page> {
    await this.askForLink(email, path)
    return this.open(await this.newestLink())
  }
}
