/**
 * Functions that return a user's access token for a provider's API.
 *
 * @module
 */
import type { AuthConfig } from "./config/auth-config.js"
import { coded } from "./errors/error-codes.js"
import { AuthError } from "./errors/errors.js"
import { type Runtime, requireRuntime } from "./runtime/runtime.js"
import type { ProviderTokens, TokenRequest } from "./tokens/provider-tokens.js"
import type { StoredTokens } from "./tokens/token-records.js"

/** The options of `req.accessToken()` and `req.authorizedFetch()`. */
export interface AccessTokenOptions {
  /** The scopes that the token must have, separated by spaces. */
  readonly scope?: string
  /**
   * The minimum time, in seconds, for which the token must remain valid. A token that expires earlier is renewed first.
   * Values above a quarter of the token's lifetime are limited to this quarter. @default 60
   */
  readonly minValidSeconds?: number
  /**
   * The id of the account, for a user with several accounts at the provider. @default the account with which the user
   * signed in, or the user's only account
   */
  readonly providerAccountId?: string
}

/** A `fetch` for a provider's API, which adds the user's access token to each request. */
export type AuthorizedFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** The options of `getAccessToken`. */
export interface GetAccessTokenOptions extends AccessTokenOptions {
  /** The value of `req.auth.owner`. With an adapter, this is the user's id. */
  readonly owner: string
  /** The provider's id, for example "github". */
  readonly provider: string
}

const quoteList = (ids: readonly string[]): string => ids.map((id) => JSON.stringify(id)).join(", ")

/**
 * Returns the object that stores, renews and revokes provider tokens.
 *
 * @throws TypeError if no OAuth provider has this id; AuthError if there is no store, or if the provider has
 * `keepTokens: false`
 */
export function requireProviderTokens(id: string, { tokens, providers }: Runtime): ProviderTokens {
  const providerIds = [...providers].flatMap(([name, { method }]) => (method.tokens ? [name] : []))
  if (!providerIds.includes(id))
    throw new TypeError(
      `no OAuth provider has the id ${JSON.stringify(id)}. Pass ${providerIds.length > 0 ? `one of ${quoteList(providerIds)}` : "the id of a provider, and add it to providers"}`,
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

/** The user whose token is requested. */
export interface TokenOwner {
  readonly owner: string
  /** The session's id. It selects the account of a user with several accounts at the provider. */
  readonly sessionId?: string | undefined
}

/**
 * Returns a copy of the request with the function `findSessionAccount`. This function resolves to the id of the account
 * with which the user signed in, or to undefined if that account is unknown or belongs to another provider.
 *
 * @throws TypeError if `minValidSeconds` is not a number, or is negative
 */
export function withSessionAccount(
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
      const { authentication } = (sessionId === undefined ? undefined : await sessions.registry?.find(sessionId)) ?? {}
      return authentication?.provider === provider ? authentication.providerAccountId : undefined
    },
  }
}

/**
 * Returns the tokens of a user at a provider. Renews them first if their access token is about to expire.
 *
 * @throws ReauthenticationRequired, ProviderUnavailable, AdapterError, AuthError or TypeError, for the same reasons as
 * `getAccessToken`
 */
export function findValidTokens(
  request: TokenRequest,
  tokenOwner: TokenOwner,
  runtime: Runtime,
): Promise<StoredTokens> {
  const tokens = requireProviderTokens(request.provider, runtime)
  return tokens.get(tokenOwner.owner, withSessionAccount(request, tokenOwner, runtime))
}

/**
 * Returns the access token as text.
 *
 * @throws TypeError if the token is bound to a key, because the provider's API rejects it without a DPoP proof
 */
export function toAccessToken({ accessToken, dpopKey, provider }: StoredTokens): string {
  if (dpopKey)
    throw new TypeError(
      `the token of ${provider} is bound to a key (dpop: true), so the provider's API rejects it without a DPoP proof. Write req.authorizedFetch(${JSON.stringify(provider)}), or in a job getAuthorizedFetch(config, { owner, provider: ${JSON.stringify(provider)} })`,
    )
  return accessToken
}

/**
 * Returns a `fetch` that adds an access token to each request. `findTokens` has to return valid tokens. If the API has
 * rejected an access token, this token is passed as `rejected`, and `findTokens` has to return tokens with another
 * access token. For an invalid URL, the returned function rejects, as `fetch` does.
 */
export const createAuthorizedFetch =
  (tokens: ProviderTokens, findTokens: (rejected?: string) => Promise<StoredTokens>): AuthorizedFetch =>
  async (input, init) =>
    tokens.send(new Request(input, init), findTokens)

function requireOwner(owner: unknown): string {
  if ((typeof owner !== "string" && typeof owner !== "number") || owner === "")
    throw new TypeError(`owner is ${owner === "" ? "empty" : String(owner)}. Pass req.auth.owner`)
  return String(owner)
}

/**
 * Returns an access token with which a job or socket calls a provider's API on behalf of a user. In a route, use
 * `req.accessToken()`. A token that is about to expire is renewed first. Concurrent calls in all processes share one
 * renewal.
 *
 * @param config the same object as for the middleware
 * @throws ReauthenticationRequired if the user has to sign in at the provider again; ProviderUnavailable (status 502)
 * if the provider fails; AdapterError (status 503) if the store fails; AuthError if there is no store, or if the
 * provider has `keepTokens: false`; TypeError if no OAuth provider has this id, if the owner is missing, if
 * `minValidSeconds` is negative or not a number, if `providerAccountId` is missing and the user has several accounts at
 * the provider, or if the token is bound to a key by `dpop`; ConfigurationError if the configuration is invalid
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
 * Returns a `fetch` with which a job or socket calls a provider's API. This `fetch` adds the user's access token to
 * each request, and renews the token if the API rejects it. In a route, use `req.authorizedFetch()`.
 *
 * @param config the same object as for the middleware
 * @throws AuthError if there is no store, or if the provider has `keepTokens: false`; TypeError if no OAuth provider
 * has this id, or if the owner is missing; ConfigurationError if the configuration is invalid. The returned `fetch`
 * rejects with the errors of `getAccessToken`, and with a TypeError if the origin of the URL is not in the provider's
 * `apiOrigins`
 * @example
 * const fetchGitHub = getAuthorizedFetch(config, { owner: userId, provider: "github" })
 * const response = await fetchGitHub("https://api.github.com/user")
 */
export function getAuthorizedFetch(config: AuthConfig, { owner, ...request }: GetAccessTokenOptions): AuthorizedFetch {
  const runtime = requireRuntime(config)
  const tokens = requireProviderTokens(request.provider, runtime)
  const tokenOwner = { owner: requireOwner(owner) }
  return createAuthorizedFetch(tokens, (rejected) => findValidTokens({ ...request, rejected }, tokenOwner, runtime))
}
