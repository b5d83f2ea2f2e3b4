/**
 * An in-memory provider that rotates refresh tokens, and processes that share the tokens of one account.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises"
import { type AccessTokenOptions, customFetch, getAccessToken, getAuthorizedFetch } from "../../../lib/index.js"
import { requireRuntime } from "../../../lib/runtime/runtime.js"
import { MemoryStore } from "../../../lib/store/memory.js"
import type { Store } from "../../../lib/store/store.js"
import type { TokenContext } from "../../../lib/tokens/account-tokens.js"
import type { AuthConfig } from "../../../lib/types.js"
import { TEST_SECRET } from "../../support/apps.js"
import { recordingLogger } from "../../support/recording-logger.js"

export const HOUR_MS = 3_600_000
const OWNER = "1"
const ACCOUNT = { provider: "p", providerAccountId: "alice" }

/** A request that the provider has received. */
export interface ProviderCall {
  readonly path: string
  readonly method: string
  readonly form: Readonly<Record<string, string>>
  readonly body: string
  readonly authorization: string | null
}

interface TokenSiteOptions {
  /** Options of the provider. */
  readonly provider?: object
  readonly store?: Store
  /** Replaces the provider's response. */
  readonly respond?: (call: ProviderCall) => Response | undefined | Promise<Response | undefined>
}

export function createTokenSite({ provider = {}, store: ownStore, respond }: TokenSiteOptions = {}) {
  const time = { now: Date.now() }
  const store = ownStore ?? MemoryStore({ now: () => time.now })
  const calls: ProviderCall[] = []
  let issued = 0

  const issue = (): Response => {
    issued++
    const tokens = { access_token: `at${issued}`, refresh_token: `rt${issued}`, expires_in: 3600 }
    return Response.json({ ...tokens, token_type: "bearer" })
  }
  /** Each refresh token works once. */
  const refresh = ({ form }: ProviderCall): Response =>
    form["refresh_token"] === `rt${issued}` ? issue() : Response.json({ error: "invalid_grant" }, { status: 400 })

  const fetchProvider: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = await request.text()
    const { pathname: path } = new URL(request.url)
    const form = Object.fromEntries(new URLSearchParams(body))
    const { method, headers } = request
    const call = { path, method, form, body, authorization: headers.get("authorization") }
    calls.push(call)
    const response = await respond?.(call)
    return response ?? (path === "/token" ? refresh(call) : new Response("ok"))
  }

  /** Starts a process, which has its own caches. */
  function start(changes: Partial<AuthConfig> = {}) {
    const { logger, records } = recordingLogger()
    const config: AuthConfig = {
      providers: [
        {
          id: "p",
          name: "P",
          type: "oauth",
          clientId: "id",
          clientSecret: "secret",
          authorization: "https://op.test/authorize",
          token: "https://op.test/token",
          userinfo: "https://op.test/userinfo",
          apiOrigins: ["https://api.test"],
          [customFetch]: fetchProvider,
          ...provider,
        },
      ],
      store,
      secret: TEST_SECRET,
      clock: () => time.now,
      rateLimit: false,
      trustHost: true,
      logger,
      ...changes,
    }
    const request = { owner: OWNER, provider: "p" }
    return {
      config,
      records,
      /** Returns the access token, or the type of the error. */
      ask: (options: AccessTokenOptions = {}): Promise<string> =>
        getAccessToken(config, { ...request, ...options }).catch((error) => error.type ?? String(error)),
      fetch: (options: AccessTokenOptions = {}) => getAuthorizedFetch(config, { ...request, ...options }),
      /** Stores the tokens of a sign-in. */
      async signIn(changes: object = {}, context: TokenContext = {}) {
        const tokens = await issue().json()
        const expires_at = Math.floor(time.now / 1000) + 3600
        await requireRuntime(config).tokens?.put(
          OWNER,
          { ...ACCOUNT, ...tokens, type: "oauth", expires_at, ...changes },
          context,
        )
      },
      disconnect: async () => requireRuntime(config).tokens?.remove(OWNER, ACCOUNT),
      stored: async () => (await requireRuntime(config).tokens?.find(OWNER, { provider: "p" }))?.tokens,
    }
  }
  const usedRefreshTokens = () => calls.flatMap(({ form }) => form["refresh_token"] ?? [])
  return { time, calls, start, usedRefreshTokens, issue }
}

/** A promise that never settles. */
export const never = <T>(): Promise<T> => new Promise<T>(() => {})

/** Returns the value of a promise, or undefined if the promise takes longer. */
export const within = <T>(ms: number, promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, pause(ms, undefined, { ref: false })])
