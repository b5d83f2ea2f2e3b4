/**
 * A site with a second factor, and what its users do there.
 *
 * @module
 */
import { createServer } from "node:http"
import express from "express"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { authMiddleware, requireAuth } from "../../../lib/index.js"
import Credentials from "../../../lib/providers/credentials.js"
import Passkey from "../../../lib/providers/passkey.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { AuthConfig } from "../../../lib/types.js"
import { configOf } from "../../express/support/servers.js"
import { listen } from "../../support/listen.js"
import { codeAt } from "../../support/second-factor.js"
import { newPerson, type Person } from "./chromium.js"
import { scanQrCode } from "./qr-code.js"
import { heading } from "./visits.js"

export const ADA = "ada@example.com"
export const SETTINGS = "/auth/second-factor"
const STEP_MS = 30_000

const page = (title: string, more = "") => `<!doctype html><title>${title}</title><h1>${title}</h1>${more}`

async function createApp(secondFactor: AuthConfig["secondFactor"], time: { readonly now: number }) {
  const adapter = MemoryAdapter()
  const user = await adapter.createUser({ id: "ada", email: ADA, emailVerified: new Date(0) })
  const password = Credentials({
    credentials: { password: { label: "Password", type: "password" } },
    authorize: (credentials) => (credentials["password"] === "right" ? user : null),
  })
  const config = configOf({
    ...{ providers: [password, Passkey({ enableConditionalUI: false })], adapter, store: MemoryStore() },
    ...{ secondFactor, clock: () => time.now, experimental: { enableWebAuthn: true } },
  })
  const app = express().use(authMiddleware(config))
  app.get("/", async (req, res) => res.send(page(`Home of ${(await req.getSession())?.user?.email ?? "nobody"}`)))
  app.get("/transfer", (_req, res) => res.send(page("Transfer", `<form method="post"><button>Send</button></form>`)))
  app.post("/transfer", requireAuth({ freshWithin: "10m", factors: 2 }), (_req, res) => res.send(page("Sent")))
  app.get("/favicon.ico", (_req, res) => res.status(204).end())
  return app
}

/** A second factor that was set up. */
export interface Enrolled {
  readonly secret: string
  readonly recoveryCodes: readonly string[]
}

export const click = (on: Page, name: string) => on.getByRole("button", { name, exact: true }).click()
export const follow = (on: Page, name: string) => on.getByRole("link", { name, exact: true }).click()
export const atHome = (on: Page) => heading(on, `Home of ${ADA}`)
export const codeField = (on: Page) => on.getByLabel("Code", { exact: true })

/** Signs in with the password. */
export async function signIn(on: Page, callbackUrl = "/"): Promise<void> {
  await on.goto(`/auth/signin?callbackUrl=${callbackUrl}`)
  await on.getByLabel("Password").fill("right")
  await on.keyboard.press("Enter")
}

export async function signOut(on: Page): Promise<void> {
  await on.goto("/auth/signout?callbackUrl=/")
  await click(on, "Sign out")
  await heading(on, "Home of nobody")
}

export async function enterRecoveryCode(on: Page, code: string): Promise<void> {
  await on.getByText("Use a recovery code").click()
  await on.getByLabel("Recovery code").fill(code)
  await on.keyboard.press("Enter")
}

/** A site where users sign in with a password, with a page that posts a form. */
export class SecondFactorSite {
  readonly time = { now: Date.now() }
  readonly #browser: Browser
  readonly #people: Person[] = []
  #server = { origin: "", close: async () => {} }

  constructor(browser: Browser) {
    this.#browser = browser
  }

  /** Its origin: passkeys require a domain. */
  get origin(): string {
    return this.#server.origin.replace("127.0.0.1", "localhost")
  }

  async start(secondFactor: AuthConfig["secondFactor"] = {}): Promise<void> {
    this.#server = await listen(createServer(await createApp(secondFactor, this.time)))
  }

  /** Stops the site. Returns the errors of its pages, except the status of a page for a refused form. */
  async close(): Promise<string[]> {
    await Promise.all(this.#people.map(({ context }) => context.close()))
    await this.#server.close()
    return this.#people.flatMap(({ complaints }) => complaints).filter((text) => !/status of 401/.test(text))
  }

  /** Opens a new browser, without scripts unless the options say otherwise. */
  async newPage(options: BrowserContextOptions = { javaScriptEnabled: false }): Promise<Page> {
    const person = await newPerson(this.#browser, { baseURL: this.origin, locale: "en", ...options })
    this.#people.push(person)
    return person.newPage()
  }

  /** Enters the code that the app shows now. Afterwards the app shows the next one. */
  async enterCode(on: Page, secret: string): Promise<void> {
    await codeField(on).fill(codeAt(secret, this.time.now))
    await on.keyboard.press("Enter")
    this.time.now += STEP_MS
  }

  /** Scans the QR code, and enters the first code of the app. */
  async scan(on: Page): Promise<Enrolled> {
    await heading(on, "Set up your authenticator app")
    const secret = new URL((await scanQrCode(on)) ?? "").searchParams.get("secret") ?? ""
    await this.enterCode(on, secret)
    await heading(on, "Your recovery codes")
    return { secret, recoveryCodes: await on.getByRole("listitem").allTextContents() }
  }

  /** Signs in, sets up an app in the settings, and signs out. */
  async enrol(on: Page): Promise<Enrolled> {
    await signIn(on)
    await atHome(on)
    await on.goto(SETTINGS)
    await follow(on, "Set up an authenticator app")
    const enrolled = await this.scan(on)
    await signOut(on)
    return enrolled
  }
}
