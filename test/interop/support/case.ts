import { skipCSRFCheck as theirSkip } from "@auth/core"
import { CredentialsSignin as TheirCredentialsSignin } from "@auth/core/errors"
import Credentials from "@auth/core/providers/credentials"
import { CredentialsSignin, skipCSRFCheck } from "../../../lib/index.js"
import type { Browser, Page, Visit } from "../../support/browser.js"
import type { FaultyProvider } from "../../support/faulty-provider.js"
import { createMailbox, type Mailbox } from "./mailbox.js"
import { type Site, startAuthjs, startLatchkey } from "./sites.js"
import { createStore, type Journal, recordCalls, type Store } from "./store.js"

export const SECRET = "the secret of an application that was built twice, for comparison"

/** One of the two packages, and the fixtures that its application uses. */
export interface Stage {
  readonly of: "authjs" | "latchkey"
  readonly op: FaultyProvider
  readonly skipCSRFCheck: symbol
  readonly CredentialsSignin: new (message?: string) => Error & { code: string }
  readonly journal: Journal
  readonly store: Store
  readonly mailbox: Mailbox
}

/** A browser of the application, and the fixtures that a case uses. */
export interface Visitor {
  readonly browser: Browser
  readonly op: FaultyProvider
  readonly store: Store
  readonly mailbox: Mailbox
  get(path: string, init?: Visit): Promise<Page>
  /** Posts a form with the browser's CSRF token. */
  post(path: string, fields?: Record<string, string>, init?: Visit): Promise<Page>
  /** Signs in with credentials. */
  signIn(name?: string): Promise<Page>
  /** Signs in at a provider; the callback URL can be changed on the way. */
  viaProvider(id: string, change?: (answer: URL) => void): Promise<Page>
}

export interface Case {
  readonly name: string
  /** Overrides the common configuration. */
  readonly config?: (stage: Stage) => object
  readonly origin?: string
  /** Overrides the secrets. */
  readonly secrets?: readonly string[]
  /** Sends the requests. Every returned page is compared. */
  readonly run: (visitor: Visitor) => Promise<Page | readonly Page[]>
}

const SILENT = { error() {}, warn() {}, debug() {} }

export const credentials = (more: object = {}) =>
  Credentials({
    credentials: { name: { label: "Name" }, password: { label: "Password", type: "password" } },
    authorize: ({ name }) => (name === "nobody" ? null : { id: "42", name: String(name), email: "ada@example.com" }),
    ...more,
  })

const common = ({ op }: Stage) => ({
  trustHost: true,
  secret: SECRET,
  logger: SILENT,
  providers: [credentials(), op.oidc(), op.oauth()],
})

export function createStage(of: Stage["of"], op: FaultyProvider): Stage {
  const journal: Journal = []
  const own =
    of === "authjs"
      ? { skipCSRFCheck: theirSkip, CredentialsSignin: TheirCredentialsSignin }
      : { skipCSRFCheck, CredentialsSignin }
  return { of, op, journal, store: createStore(journal), mailbox: createMailbox(journal), ...own }
}

/** Callbacks and events that only record their calls. */
export const recordingCallbacks = ({ journal }: Stage) => ({
  callbacks: recordCalls(
    {
      signIn: () => true,
      redirect: ({ url, baseUrl }: { url: string; baseUrl: string }) => (url.startsWith("/") ? baseUrl + url : baseUrl),
      jwt: ({ token }: { token: object }) => token,
      session: ({ session }: { session: object }) => session,
    },
    journal,
  ),
  events: recordCalls(
    {
      signIn() {},
      signOut() {},
      createUser() {},
      updateUser() {},
      linkAccount() {},
      session() {},
    },
    journal,
    "event.",
  ),
})

export async function startStage(stage: Stage, { config, origin }: Pick<Case, "config" | "origin">): Promise<Site> {
  const settings = { ...common(stage), ...config?.(stage) }
  const options = origin === undefined ? {} : { origin }
  // Both packages accept the same configuration, which is tested too.
  return stage.of === "authjs"
    ? startAuthjs(settings as Parameters<typeof startAuthjs>[0], options)
    : startLatchkey(settings as unknown as Parameters<typeof startLatchkey>[0], options)
}

export function createVisitor(site: Site, { op, store, mailbox }: Stage): Visitor {
  const browser = site.browser({ secure: site.origin.startsWith("https:") })
  const post: Visitor["post"] = async (path, fields = {}, init = {}) =>
    browser.post(path, { csrfToken: await browser.csrf(), ...fields }, init)
  return {
    browser,
    op,
    store,
    mailbox,
    get: (path, init) => browser.get(path, init),
    post,
    signIn: (name = "Ada") => post("/auth/callback/credentials", { name, password: "1815" }),
    async viaProvider(id, change = () => {}) {
      const start = await post(`/auth/signin/${id}`)
      const answer = new URL(await op.authorize(start.location))
      change(answer)
      return browser.get(answer.href, { from: new URL(op.issuer).origin })
    },
  }
}
