/**
 * An application with a provider, its log and its events.
 *
 * @module
 */
import type { OAuth2Config, OIDCConfig } from "../../../lib/provider-kit/provider.js"
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
  /** The logged warnings and errors. */
  failures(): LogRecord[]
  /** Everything that reached the logger, as text. */
  logText(): string
  /** Clears the log and the events. */
  forget(): void
  events: Recorded[]
  store: MemoryStore | undefined
  /** Restores the provider's normal behaviour. */
  behave(): void
}

export interface SiteOptions {
  providers?: AuthConfig["providers"]
  config?: Partial<AuthConfig>
  /** The provider's normal behaviour. */
  mode?: ProviderMode
  origin?: string
  /** @default a recording logger */
  logs?: "to the console"
  /** @default depends on the stage, so that each kind of session is tested */
  sessions?: "jwt" | "jwt with adapter" | "database"
}

const SESSIONS: Record<StageName, NonNullable<SiteOptions["sessions"]>> = {
  "Auth()": "jwt",
  "Express 5": "database",
  "Express 4": "jwt with adapter",
  Connect: "jwt",
}

/** Starts an application whose only provider is `op` with the id "oidc". Its configuration is deeply frozen. */
export async function startSite(
  { start, stage, op }: { start: Start; stage: StageName; op: FaultyProvider },
  { providers = [op.oidc()], config, mode = {}, origin, logs, sessions = SESSIONS[stage] }: SiteOptions = {},
): Promise<Site> {
  const behave = () => {
    op.reset()
    op.set(mode)
  }
  behave()
  // Secrets of earlier tests cannot leak.
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

export interface SignInOptions {
  id?: string
  /** The query of the sign-in request: "?prompt=login". */
  query?: string
  callbackUrl?: string
  headers?: Record<string, string>
  /** The path of the endpoints. @default "/auth" */
  base?: string
}

/** `POST /auth/signin/:id` like the sign-in button. The location of the page is the authorization URL. */
export async function begin(browser: Browser, options: SignInOptions = {}): Promise<Page> {
  const { id = "oidc", query = "", callbackUrl, headers = {}, base = "/auth" } = options
  const csrfToken = await browser.csrf(base)
  return browser.post(`${base}/signin/${id}${query}`, { csrfToken, ...(callbackUrl && { callbackUrl }) }, { headers })
}

/** Starts a flow, approves it at the provider, and returns the callback URL. */
export async function startAndApprove(browser: Browser, op: FaultyProvider, options?: SignInOptions): Promise<string> {
  return op.authorize((await begin(browser, options)).location)
}

/** Opens the callback URL. */
export const openCallback = (browser: Browser, op: FaultyProvider, address: string): Promise<Page> =>
  browser.get(address, { from: new URL(op.issuer).origin })

/** A complete sign-in. Returns the last page. */
export async function signIn(browser: Browser, op: FaultyProvider, options?: SignInOptions): Promise<Page> {
  return openCallback(browser, op, await startAndApprove(browser, op, options))
}

/** A provider that states that it has just authenticated the user. Only such a session connects further accounts. */
export const JUST_AUTHENTICATED: ProviderMode = {
  claims: (claims) => ({ ...claims, auth_time: Math.floor(Date.now() / 1000) }),
}

/** The session of the browser. */
export async function sessionOf(
  browser: Browser,
): Promise<{ user?: Record<string, unknown>; expires?: string } | null> {
  return JSON.parse(await (await browser.get("/me")).text())
}

export const sessionCookies = (browser: Browser) =>
  browser.cookies().filter(({ name }) => /authjs\.session-token(\.\d+)?$/.test(name))

/** The cookies of pending flows. */
export const flowCookies = (browser: Browser) =>
  browser.cookies().filter(({ name }) => /authjs\.(state(?!\.finished$)|nonce|pkce)/.test(name))

/** A query parameter of a URL. */
export const param = (address: string, name: string): string => new URL(address).searchParams.get(name) ?? ""

/** The URL with changed query parameters. An undefined one is removed. */
export function withParams(address: string, params: Record<string, string | undefined>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(params))
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  return url.href
}

/** All secrets that must not appear in a log, URL or page. */
function listSecrets({ op }: Pick<Site, "op">): string[] {
  const sent = op.to("/authorize").flatMap(({ query }) => [query["state"], query["nonce"]])
  return [...new Set([TEST_SECRET, ...op.secrets, ...sent])].filter(
    (text) => text !== undefined && text.length > 7,
  ) as string[]
}

const formEncode = (text: string) => new URLSearchParams({ "": text }).toString().slice(1)

/** The encodings of a secret in a header, a URL and a form. */
const encodeSecret = (secret: string) => [secret, encodeURIComponent(secret), formEncode(secret)]

/** The client's Basic credentials (RFC 6749 §2.3.1). */
const basicCredentials = ({ clientId, clientSecret }: FaultyProvider["client"]) =>
  Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`).toString("base64")

/** Fails if the text contains a secret. */
export function expectNoSecret(site: Pick<Site, "op">, text: string): void {
  for (const form of [basicCredentials(site.op.client), ...listSecrets(site).flatMap(encodeSecret)])
    if (text.includes(form)) throw new Error(`a secret leaked, ${form}, in:\n${text}`)
}

/** A copy of the provider with another id. */
export const named = <T extends OIDCConfig | OAuth2Config>(provider: T, id: string): T => ({ ...provider, id })
