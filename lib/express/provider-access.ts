/**
 * Access to a provider's API in a route: `req.accessToken()`, `req.authorizedFetch()` and `requireAuth({ provider })`.
 *
 * @module
 */
import { isWithinLast } from "../base/timeout.js"
import { ReauthenticationRequired } from "../errors/errors.js"
import {
  type AccessTokenOptions,
  type AuthorizedFetch,
  createAuthorizedFetch,
  findValidTokens,
  requireProviderTokens,
  toAccessToken,
  withSessionAccount,
} from "../provider-access.js"
import type { FoundTokens, TokenRequest } from "../tokens/provider-tokens.js"
import type { StoredTokens } from "../tokens/token-records.js"
import { parseScopes } from "../tokens/token-state.js"
import { fullTarget, type NodeRequest } from "./node.js"
import { requireContext } from "./read-auth.js"
import type { RequestContext } from "./request-context.js"
import { signInAddress } from "./sign-in-address.js"

/** Returns the URL of the sign-in page for one provider, with `target` as return URL. */
export const providerPage = (provider: string, target: string, context: RequestContext): string =>
  signInAddress(context, target, `${context.base}/signin/${provider}`)

/**
 * Returns a copy of an error, with the URL to which this request has to redirect. The original error is not changed,
 * because parallel requests share it and their URLs differ.
 */
function withUrl(error: ReauthenticationRequired, provider: string, url: string): ReauthenticationRequired {
  const copy = new ReauthenticationRequired(error.message, { ...error.cause, provider })
  copy.url = url
  return copy
}

/**
 * Returns valid tokens of the current user.
 *
 * @throws ReauthenticationRequired, with the URL of the page on which the user can sign in at the provider
 */
async function findTokens(request: TokenRequest, req: NodeRequest, context: RequestContext): Promise<StoredTokens> {
  const session = await context.getSession()
  const { id: sessionId, owner } = context.identifiers
  try {
    if (!session || owner === undefined)
      throw new ReauthenticationRequired("the user is not signed in", { provider: request.provider })
    return await findValidTokens(request, { owner, sessionId }, context.runtime)
  } catch (error) {
    if (!(error instanceof ReauthenticationRequired)) throw error
    const { provider } = request
    throw withUrl(
      error,
      provider,
      providerPage(provider, context.runtime.config.proxyPrefix + fullTarget(req), context),
    )
  }
}

/** The access to a provider's API that a route requires: a token of this provider with these scopes. */
export interface RequiredAccess {
  readonly provider: string
  readonly scope?: string | undefined
}

/** Access that the user has not granted. */
export interface MissingAccess {
  readonly reason: string
  /** True if the user was asked for this access less than a minute ago. Asking again could cause a redirect loop. */
  readonly wasJustAsked: boolean
  /**
   * Returns the URL to which the request has to be redirected, with `target` as return URL. If tokens of an account at
   * the provider are stored, starts the flow in which the user grants the access, sets its cookies, and returns the URL
   * of the provider. Otherwise returns the URL of the sign-in page, where the user has to press a button. Without this
   * step, a link on another site would be enough to connect an account.
   */
  readonly prepareRedirect: (target: string) => Promise<string>
}

/** The time after which a user who did not grant access is asked again. */
const ASK_AGAIN_AFTER_MS = 60_000

function wasJustAsked(tokens: StoredTokens | undefined, scope: string, now: number): boolean {
  const requested = new Set(parseScopes(tokens?.requestedScope ?? ""))
  const isRequested = parseScopes(scope).every((name) => requested.has(name))
  return tokens?.requestedAt !== undefined && isWithinLast(ASK_AGAIN_AFTER_MS, tokens.requestedAt, now) && isRequested
}

/** Returns the access that the user has not granted; undefined if the user has granted all of the required access. */
export async function findMissingAccess(
  { provider, scope = "" }: RequiredAccess,
  context: RequestContext,
): Promise<MissingAccess | undefined> {
  const { id: sessionId, owner } = context.identifiers
  const tokens = requireProviderTokens(provider, context.runtime)
  const request = withSessionAccount({ provider, scope }, { sessionId }, context.runtime)
  const found: FoundTokens =
    owner === undefined ? { signInReason: "the session has no owner" } : await tokens.find(owner, request)
  if (found.signInReason === undefined) return undefined
  const { providerAccountId: accountId = "", scope: granted = "" } = found.tokens ?? {}
  const requestedScope = `${granted} ${scope}`.trim()
  return {
    reason: found.signInReason,
    wasJustAsked: wasJustAsked(found.tokens, scope, context.runtime.now()),
    prepareRedirect: async (target) =>
      found.tokens
        ? context.requestAccess(provider, { accountId, scope: requestedScope }, target)
        : providerPage(provider, target, context),
  }
}

async function accessToken(this: NodeRequest, provider: string, options: AccessTokenOptions = {}): Promise<string> {
  const context = requireContext(this, "req.accessToken()")
  return toAccessToken(await findTokens({ ...options, provider }, this, context))
}

function authorizedFetch(this: NodeRequest, provider: string, options: AccessTokenOptions = {}): AuthorizedFetch {
  const context = requireContext(this, "req.authorizedFetch()")
  const tokens = requireProviderTokens(provider, context.runtime)
  return createAuthorizedFetch(tokens, (rejected) => findTokens({ ...options, provider, rejected }, this, context))
}

/**
 * Adds `accessToken` and `authorizedFetch` to the requests of an Express application. The functions are added once to
 * `app.request`, the prototype of the requests, because adding two properties to each request takes longer than the
 * rest of the middleware. Without Express, the functions are added to the request.
 */
export function attachProviderAccess(req: NodeRequest): void {
  if (req.accessToken === accessToken) return
  const prototype: object = Object.getPrototypeOf(req)
  Object.assign(prototype === req.app?.request ? prototype : req, { accessToken, authorizedFetch })
}
