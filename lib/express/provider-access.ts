/**
 * The provider's API in a route: `req.accessToken()`, `req.authorizedFetch()` and `requireAuth({ provider })`.
 *
 * @module
 */
import { isWithin } from "../base/timeout.js"
import { ReauthenticationRequired } from "../errors/errors.js"
import {
  type AccessTokenOptions,
  type AuthorizedFetch,
  createAuthorizedFetch,
  findValidTokens,
  requireTokens,
  toAccessToken,
  toTokenRequest,
} from "../provider-access.js"
import type { FoundTokens, TokenRequest } from "../tokens/provider-tokens.js"
import type { StoredTokens } from "../tokens/token-records.js"
import { parseScopes } from "../tokens/token-state.js"
import { fullTarget, type NodeRequest } from "./node.js"
import { requireContext } from "./read-auth.js"
import type { RequestContext } from "./request-context.js"
import { signInAddress } from "./sign-in-address.js"

/** The URL of the page on which the user signs in at the provider, with `target` as return URL. */
export const providerPage = (provider: string, target: string, context: RequestContext): string =>
  signInAddress(context, target, `${context.base}/signin/${provider}`)

/** The error of a request: a copy with the same cause, because parallel requests of other pages share the original. */
function withUrl(error: ReauthenticationRequired, provider: string, url: string): ReauthenticationRequired {
  const failure = new ReauthenticationRequired(error.message, { ...error.cause, provider })
  failure.url = url
  return failure
}

/** Returns valid tokens of the current user. An error that the user can solve has the URL for that. */
async function findTokens(request: TokenRequest, req: NodeRequest, context: RequestContext): Promise<StoredTokens> {
  const session = await context.getSession()
  const { id: sessionId, owner } = context.names
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

/** What a route needs of a provider. */
export interface RequiredAccess {
  readonly provider: string
  readonly scope?: string | undefined
}

/** Access that a user has to grant. */
export interface MissingAccess {
  readonly reason: string
  /** True if the user has just been asked for it. To ask again at once could be a redirect loop. */
  readonly wasJustAsked: boolean
  /**
   * Returns the URL to which the browser has to be sent. A user with an account at the provider is sent there directly.
   * Without one, the sign-in page asks first, because a link of another site must not connect an account.
   */
  readonly createUrl: (target: string) => Promise<string>
}

/** How long a user who did not grant access is not asked again. */
const PAUSE_MS = 60_000

function wasJustAsked(tokens: StoredTokens | undefined, scope: string, now: number): boolean {
  const requested = new Set(parseScopes(tokens?.requestedScope ?? ""))
  const isRequested = parseScopes(scope).every((name) => requested.has(name))
  return tokens?.askedAt !== undefined && isWithin(PAUSE_MS, tokens.askedAt, now) && isRequested
}

/** Returns what the user has to grant; undefined if nothing is missing. */
export async function findMissingAccess(
  { provider, scope = "" }: RequiredAccess,
  context: RequestContext,
): Promise<MissingAccess | undefined> {
  const { id: sessionId, owner } = context.names
  const tokens = requireTokens(provider, context.runtime)
  const request = toTokenRequest({ provider, scope }, { sessionId }, context.runtime)
  const found: FoundTokens =
    owner === undefined ? { missing: "the session has no owner" } : await tokens.find(owner, request)
  if (found.missing === undefined) return undefined
  const { providerAccountId: accountId = "", scope: granted = "" } = found.tokens ?? {}
  const wanted = `${granted} ${scope}`.trim()
  return {
    reason: found.missing,
    wasJustAsked: wasJustAsked(found.tokens, scope, context.runtime.now()),
    createUrl: async (target) =>
      found.tokens
        ? context.requestAccess(provider, { accountId, scope: wanted }, target)
        : providerPage(provider, target, context),
  }
}

async function accessToken(this: NodeRequest, provider: string, options: AccessTokenOptions = {}): Promise<string> {
  const context = requireContext(this, "req.accessToken()")
  return toAccessToken(await findTokens({ ...options, provider }, this, context))
}

function authorizedFetch(this: NodeRequest, provider: string, options: AccessTokenOptions = {}): AuthorizedFetch {
  const context = requireContext(this, "req.authorizedFetch()")
  const tokens = requireTokens(provider, context.runtime)
  return createAuthorizedFetch(tokens, (rejected) => findTokens({ ...options, provider, rejected }, this, context))
}

/**
 * Adds `accessToken` and `authorizedFetch` to the requests of an Express application. They are added to `app.request`,
 * from which its requests inherit, because two properties of each request cost more than the rest of the middleware.
 * Without Express they are added to the request.
 */
export function attachProviderAccess(req: NodeRequest): void {
  if (req.accessToken === accessToken) return
  const prototype: object = Object.getPrototypeOf(req)
  Object.assign(prototype === req.app?.request ? prototype : req, { accessToken, authorizedFetch })
}
