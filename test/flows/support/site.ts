/**
 * An application to sign in to, with its log and its events.
 *
 * @module
 */
import type { OAuth2Config, OIDCConfig } from "../../../lib/providers/provider.js"
import type { AuthConfig, EventsOptions } from "../../../lib/types.js"
import { type RunningApp, recordingLogger, type StageName, type Start, TEST_SECRET } from "../../support/apps.js"
import type { Browser, Page } from "../../support/browser.js"
import type { FaultyProvider, ProviderMode } from "../../support/faulty-provider.js"
import type { LogRecord } from "../../support/recording-logger.js"
import { deepFreeze } from "./guard.js"
import { type MemoryStore, memoryStore } from "./memory-adapter.js"

export interface Recorded {
  name: keyof EventsOptions
  message: unknown
}

export interface Site {
  app: RunningApp
  op: FaultyProvider
  /** What an operator is told. */
  failures(): LogRecord[]
  /** Everything that reached the logger, as text. */
  logText(): string
  /** Forgets log and events so far. */
  forget(): void
  events: Recorded[]
  store: MemoryStore | undefined
  /** The provider as it behaves when nothing is wrong. */
  behave(): void
}

export interface SiteOptions {
  providers?: AuthConfig["providers"]
  config?: Partial<AuthConfig>
  /** How the provider behaves when nothing is wrong. */
  mode?: ProviderMode
  origin?: string
  /** @default to a logger that keeps it */
  logs?: "to the console"
  /** @default by the stage, so that each kind of session is met */
  sessions?: "jwt" | "jwt with adapter" | "database"
}

const SESSIONS: Record<StageName, NonNullable<SiteOptions["sessions"]>> = {
  "Auth()": "jwt",
  "Express 5": "database",
  "Express 4": "jwt with adapter",
  Connect: "jwt",
}

/** Starts an application whose only provider is `op`, under the id "oidc". Its configuration is frozen to the bottom. */
export async function startSite(
  { start, stage, op }: { start: Start; stage: StageName; op: FaultyProvider },
  { providers = [op.oidc()], config, mode = {}, origin, logs, sessions = SESSIONS[stage] }: SiteOptions = {},
): Promise<Site> {
  const behave = () => {
    op.reset()
    op.set(mode)
  }
  behave()
  // What passed in earlier tests can't get out any more.
  op.requests.length = 0
  op.secrets.clear()
  op.secrets.add(op.client.clientSecret)
  const { logger, records, text, forget } = recordingLogger()
  const store = sessions === "jwt" ? undefined : memoryStore()
  const events: Recorded[] = []
  const frozen = deepFreeze({
    providers,
    secret: TEST_SECRET,
    ...(logs === undefined && { logger }),
    events: recordEvents(events),
    ...(store && { adapter: store.adapter, session: { strategy: sessions === "database" ? "database" : "jwt" } }),
    ...config,
  } as const)
  const app = await start(frozen as unknown as AuthConfig, origin === undefined ? {} : { origin })
  forget()
  return {
    ...{ app, op, events, store, behave },
    failures: () => [...records],
    logText: text,
    forget() {
      forget()
      events.length = 0
    },
  }
}

const EVENTS = ["signIn", "signOut", "createUser", "updateUser", "linkAccount", "session"] as const

const recordEvents = (into: Recorded[]): EventsOptions =>
  Object.fromEntries(EVENTS.map((name) => [name, (message: unknown) => void into.push({ name, message })]))

export interface Beginning {
  id?: string
  /** Of the sign-in address: "?prompt=login". */
  query?: string
  callbackUrl?: string
  headers?: Record<string, string>
}

/** `POST /auth/signin/:id` as the button does it; the page's location is the authorization URL. */
export async function begin(browser: Browser, options: Beginning = {}): Promise<Page> {
  const { id = "oidc", query = "", callbackUrl, headers = {} } = options
  const csrfToken = await browser.csrf()
  return browser.post(`/auth/signin/${id}${query}`, { csrfToken, ...(callbackUrl && { callbackUrl }) }, { headers })
}

/** Begins, agrees at the provider, and gives the address that it sends the browser back to. */
export async function goAndAgree(browser: Browser, op: FaultyProvider, options?: Beginning): Promise<string> {
  return op.authorize((await begin(browser, options)).location)
}

/** Comes back from the provider. */
export const comeBack = (browser: Browser, op: FaultyProvider, address: string): Promise<Page> =>
  browser.get(address, { from: new URL(op.issuer).origin })

/** A whole sign-in; gives the page that it ends with. */
export async function signIn(browser: Browser, op: FaultyProvider, options?: Beginning): Promise<Page> {
  return comeBack(browser, op, await goAndAgree(browser, op, options))
}

/** Who the application says is signed in. */
export async function sessionOf(
  browser: Browser,
): Promise<{ user?: Record<string, unknown>; expires?: string } | null> {
  return JSON.parse(await (await browser.get("/me")).text())
}

export const sessionCookies = (browser: Browser) =>
  browser.cookies().filter(({ name }) => /authjs\.session-token(\.\d+)?$/.test(name))

/** The sign-ins under way. */
export const flowCookies = (browser: Browser) =>
  browser.cookies().filter(({ name }) => /authjs\.(state|nonce|pkce)/.test(name))

/** One parameter of an address. */
export const param = (address: string, name: string): string => new URL(address).searchParams.get(name) ?? ""

/** The address with parameters changed; an undefined one is removed. */
export function withParams(address: string, params: Record<string, string | undefined>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(params))
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  return url.href
}

/** Everything that passed and that nobody may read in a log, an address or a page. */
function secretsOf({ op }: Pick<Site, "op">): string[] {
  const sent = op.to("/authorize").flatMap(({ query }) => [query["state"], query["nonce"]])
  return [...new Set([TEST_SECRET, ...op.secrets, ...sent])].filter(
    (text) => text !== undefined && text.length > 7,
  ) as string[]
}

const formEncode = (text: string) => new URLSearchParams({ "": text }).toString().slice(1)

/** A secret as it stands in a header, in an address and in a form. */
const spellingsOf = (secret: string) => [secret, encodeURIComponent(secret), formEncode(secret)]

/** What the client says of itself in a header (RFC 6749 §2.3.1). */
const basicOf = ({ clientId, clientSecret }: FaultyProvider["client"]) =>
  Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`).toString("base64")

/** Fails when one of the secrets stands in the text. */
export function expectNoSecret(site: Pick<Site, "op">, text: string): void {
  for (const form of [basicOf(site.op.client), ...secretsOf(site).flatMap(spellingsOf)])
    if (text.includes(form)) throw new Error(`a secret got out, ${form}, in:\n${text}`)
}

/** A provider of `op`'s under another id. */
export const named = <T extends OIDCConfig | OAuth2Config>(provider: T, id: string): T => ({ ...provider, id })
