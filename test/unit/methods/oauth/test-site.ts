import { serverInfoFrom } from "../../../../lib/auth.js"
import type { CookieChange } from "../../../../lib/base/types.js"
import type { AuthCall } from "../../../../lib/http/call.js"
import { parseCookies, toSetCookies } from "../../../../lib/http/cookies.js"
import { parseRequest } from "../../../../lib/http/request.js"
import type { AuthorizationRequest } from "../../../../lib/methods/method.js"
import type { ReadyOAuth } from "../../../../lib/methods/oauth/prepare.js"
import { startOAuth } from "../../../../lib/methods/oauth/start.js"
import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import { type Runtime, runtimeWithoutEnv } from "../../../../lib/runtime/runtime.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { recordingLogger } from "../../../support/recording-logger.js"

export const ORIGIN = "https://app.test"
export const BASE = `${ORIGIN}/auth`
export const NOW = 1_800_000_000_000

const PROVIDER = {
  id: "acme",
  name: "Acme",
  type: "oauth",
  clientId: "our-client",
  clientSecret: "our-client-secret",
  authorization: "https://acme.test/authorize",
  token: "https://acme.test/token",
  userinfo: "https://acme.test/me",
} satisfies OAuthConfig

export interface TestSite {
  readonly runtime: Runtime
  readonly time: { now: number }
  readonly providers: Readonly<Record<string, ReadyOAuth>>
  readonly log: ReturnType<typeof recordingLogger>
}

/** Creates a test site with these providers, or with one default provider. */
export function createSite(
  providers: Partial<OAuthConfig> | readonly Partial<OAuthConfig>[] = {},
  config: Partial<AuthConfig> = {},
): TestSite {
  const time = { now: NOW }
  const log = recordingLogger()
  const listed = [providers].flat().map((provider) => ({ ...PROVIDER, ...provider }) as OAuthConfig)
  const runtime = runtimeWithoutEnv({
    providers: listed,
    secret: "a secret for tests alone, of forty-eight letters",
    trustHost: true,
    basePath: "/auth",
    clock: () => time.now,
    logger: log.logger,
    ...config,
  })
  if (runtime.problems.length > 0) throw new Error(JSON.stringify(runtime.problems))
  const ready = [...runtime.providers].map(([id, { provider }]) => [id, provider as ReadyOAuth])
  return { runtime, time, log, providers: Object.fromEntries(ready) }
}

export function providerOf({ providers }: TestSite, id = "acme"): ReadyOAuth {
  const provider = providers[id]
  if (!provider) throw new Error(`there is no provider ${id}`)
  return provider
}

export interface BrowserRequest {
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>> | [string, string][]
  readonly cookies?: Readonly<Record<string, string>>
  readonly origin?: string
}

/** Returns the call for a browser's request. */
export function callOf({ runtime }: TestSite, browserRequest: BrowserRequest = {}): Promise<AuthCall> {
  const { path = "/callback/acme", query = {}, form, cookies = {}, origin = ORIGIN } = browserRequest
  const search = new URLSearchParams(query).toString()
  const request = new Request(`${origin}/auth${path}${search && `?${search}`}`, {
    headers: {
      cookie: Object.entries(cookies)
        .map((pair) => pair.join("="))
        .join("; "),
    },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  })
  return parseRequest(request, serverInfoFrom(request, runtime))
}

/** The browser's cookies after these changes, by name. */
function cookiesAfter(changes: readonly CookieChange[], { cookieSet, cookies }: AuthCall): Record<string, string> {
  const jar = new Map(Object.entries(cookies))
  for (const header of toSetCookies(changes, cookieSet))
    for (const [name, value] of Object.entries(parseCookies(header.split(";")[0])))
      if (header.includes("Max-Age=0")) jar.delete(name)
      else jar.set(name, value)
  return Object.fromEntries([...jar].map(([name, value]) => [name, value ?? ""]))
}

export interface StartedFlow {
  /** The authorization URL at the provider. */
  readonly url: URL
  readonly state: string
  readonly cookies: Record<string, string>
  readonly changes: readonly CookieChange[]
}

export interface StartRequest extends BrowserRequest {
  readonly provider?: string
  /** The access to which the current user has to consent at the provider. */
  readonly access?: AuthorizationRequest
}

/** Starts a sign-in in a browser with these cookies. */
export async function startFlow(site: TestSite, request: StartRequest = {}): Promise<StartedFlow> {
  const { provider = "acme", access } = request
  const call = await callOf(site, { path: `/signin/${provider}`, ...request })
  const reply = await startOAuth(call, providerOf(site, provider), site.runtime, access)
  const url = new URL(reply.location ?? "")
  return {
    url,
    state: url.searchParams.get("state") ?? "",
    cookies: cookiesAfter(reply.cookies, call),
    changes: reply.cookies,
  }
}
