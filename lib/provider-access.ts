/**
 * Access tokens for a provider's API, for the users of a configuration.
 *
 * @module
 */
import type { AuthConfig } from "./config/auth-config.js"
import { coded } from "./errors/error-codes.js"
import { AuthError } from "./errors/errors.js"
import { type Runtime, requireRuntime } from "./runtime/runtime.js"
import type { ProviderTokens, TokenRequest } from "./tokens/provider-tokens.js"
import type { StoredTokens } from "./tokens/token-records.js"

/** The options of `req.accessToken()`. */
export interface AccessTokenOptions {
  /** The scopes that the token must have, separated by spaces. */
  readonly scope?: string
  /**
   * How long the token must at least be valid, in seconds; at most a quarter of its lifetime. @default 60
   */
  readonly minValidSeconds?: number
  /**
   * The account, for a user with several accounts at the provider. @default the account that opened the session, or the
   * only one
   */
  readonly providerAccountId?: string
}

/** A `fetch` that adds the user's access token. */
export type AuthorizedFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** The options of `getAccessToken`. */
export interface GetAccessTokenOptions extends AccessTokenOptions {
  /** `req.auth.owner`: with an adapter the user's id. */
  readonly owner: string
  /** The provider's id, for example "github". */
  readonly provider: string
}

const quoteList = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(", ")

/**
 * The tokens of a provider.
 *
 * @throws TypeError for an unknown provider; AuthError if its tokens are not kept
 */
export function requireTokens(id: string, { tokens, providers }: Runtime): ProviderTokens {
  const known = [...providers].flatMap(([name, { method }]) => (method.tokens ? [name] : []))
  if (!known.includes(id))
    throw new TypeError(
      `no OAuth provider has the id ${JSON.stringify(id)}. Pass ${known.length > 0 ? `one of ${quoteList(known)}` : "the id of a provider, and add it to providers"}`,
    )
  if (!tokens)
    throw coded(
      "store-missing",
      new AuthError(
        "provider tokens need a store, because a cookie can't hold refresh tokens that are rotated. Write { store: RedisStore(redis) }, or another store of docs/stores.md",
      ),
    )
  if (!tokens.usesStore({ provider: id, providerAccountId: "" }))
    throw coded("option-invalid", new AuthError(`the provider ${id} has keepTokens: false. Remove this option`))
  return tokens
}

/** The user for whom a token is needed. */
export interface TokenOwner {
  readonly owner: string
  /** The session's id, for users with several accounts at the provider. */
  readonly sessionId?: string | undefined
}

/**
 * Completes a request with the account that opened the session.
 *
 * @throws TypeError if `minValidSeconds` is not a number of seconds
 */
export function toTokenRequest(
  request: TokenRequest,
  { sessionId }: Pick<TokenOwner, "sessionId">,
  { sessions }: Runtime,
): TokenRequest {
  const { provider, minValidSeconds = 0 } = request
  if (!(typeof minValidSeconds === "number" && minValidSeconds >= 0))
    throw new TypeError(
      `minValidSeconds is ${typeof minValidSeconds === "string" ? JSON.stringify(minValidSeconds) : String(minValidSeconds)}. Pass a number of seconds, for example 60`,
    )
  return {
    ...request,
    findSessionAccount: async () => {
      const { origin } = (sessionId === undefined ? undefined : await sessions.registry?.find(sessionId)) ?? {}
      return origin?.provider === provider ? origin.providerAccountId : undefined
    },
  }
}

/**
 * Returns valid tokens of a user.
 *
 * @throws as `getAccessToken`
 */
export function findValidTokens(request: TokenRequest, owner: TokenOwner, runtime: Runtime): Promise<StoredTokens> {
  const tokens = requireTokens(request.provider, runtime)
  return tokens.get(owner.owner, toTokenRequest(request, owner, runtime))
}

/** @throws TypeError if the token is useless without a proof */
export function toAccessToken({ accessToken, dpopKey, provider }: StoredTokens): string {
  if (dpopKey)
    throw new TypeError(
      `the token of ${provider} is bound to a key (dpop: true), so the provider's API rejects it without a proof. Write req.authorizedFetch(${JSON.stringify(provider)}), or in a job getAuthorizedFetch(config, { owner, provider: ${JSON.stringify(provider)} })`,
    )
  return accessToken
}

/** Returns a `fetch` that adds the token of `find`. As `fetch`, it rejects for an invalid URL and does not throw. */
export const createAuthorizedFetch =
  (tokens: ProviderTokens, find: (rejected?: string) => Promise<StoredTokens>): AuthorizedFetch =>
  async (input, init) =>
    tokens.send(new Request(input, init), find)

function requireOwner(owner: unknown): string {
  if ((typeof owner !== "string" && typeof owner !== "number") || owner === "")
    throw new TypeError(`owner is ${owner === "" ? "empty" : String(owner)}. Pass req.auth.owner`)
  return String(owner)
}

/**
 * Returns an access token with which the application calls a provider's API on behalf of a user, for jobs and sockets.
 * In a route, use `req.accessToken()`. A token that is about to expire is renewed: once, no matter how many requests
 * and processes ask for it.
 *
 * @param config the same object as for the middleware
 * @throws ReauthenticationRequired if the user has to sign in at the provider again; ProviderUnavailable (status 502) if
 * the provider fails; AdapterError (status 503) if the store fails; AuthError without a store; TypeError for an unknown
 * provider, without `providerAccountId` for a user with several accounts there, or for a token that is bound by `dpop`
 * @example
 * const token = await getAccessToken(config, { owner: userId, provider: "github" })
 */
export async function getAccessToken(
  config: AuthConfig,
  { owner, ...request }: GetAccessTokenOptions,
): Promise<string> {
  const runtime = requireRuntime(config)
  return toAccessToken(await findValidTokens(request, { owner: requireOwner(owner) }, runtime))
}

/**
 * Returns a `fetch` that adds a user's access token to requests to a provider's API, for jobs and sockets. In a route,
 * use `req.authorizedFetch()`.
 *
 * @param config the same object as for the middleware
 * @throws AuthError without a store; TypeError for an unknown provider. The returned function throws as `getAccessToken`,
 * and a TypeError for an address that is not in the provider's `apiOrigins`
 * @example
 * const fetchGitHub = getAuthorizedFetch(config, { owner: userId, provider: "github" })
 * const response = await fetchGitHub("https://api.github.com/user")
 */
export function getAuthorizedFetch(config: AuthConfig, { owner, ...request }: GetAccessTokenOptions): AuthorizedFetch {
  const runtime = requireRuntime(config)
  const tokens = requireTokens(request.provider, runtime)
  const tokenOwner = { owner: requireOwner(owner) }
  return createAuthorizedFetch(tokens, (rejected) => findValidTokens({ ...request, rejected }, tokenOwner, runtime))
}
