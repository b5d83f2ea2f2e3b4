import type { AuthorizationServer } from "oauth4webapi"
import { coded } from "../../errors/error-codes.js"
import { OAuthSignInError } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { type Reply, redirect } from "../../http/reply.js"
import { limitReached } from "../../security/limits.js"
import { addressBucket } from "../../security/rate-limit.js"
import { randomText, sha256Base64url } from "../../security/tokens.js"
import { parseScopes } from "../../tokens/token-state.js"
import type { AuthorizationRequest, MethodRuntime } from "../method.js"
import { pushesRequests } from "./endpoint.js"
import { currentReturnPath, type Flow, identifyFlow, putFlow } from "./flow.js"
import { loadMetadata } from "./logout.js"
import { type ReadyOAuth, requireSecureUrl } from "./prepare.js"
import { EndpointRefusal, hintFor, sanitizeProviderError } from "./provider-errors.js"
import { createState, redirectUri } from "./proxy.js"
import { pushRequest } from "./pushed-request.js"
import { readReason } from "./reason.js"
import { checkRequirements } from "./requirements.js"
import { resourceParams } from "./token-request.js"
import { type TrackedSecrets, trackSecrets } from "./tracked-secrets.js"

/**
 * Counts the start of a sign-in. Clients without a known address are not counted. They would share one limit, which
 * would protect no user: starting a sign-in guesses no secret and sends no email.
 *
 * @throws TooManyAttempts if the limit is reached
 */
async function limitStarts(
  { clientAddress }: AuthCall,
  { id }: Pick<ReadyOAuth, "id">,
  { limits }: MethodRuntime,
): Promise<void> {
  if (!limits || !clientAddress) return
  const retryAfterMs = await limits.count("oauthSignInsPerClient", addressBucket(clientAddress))
  if (retryAfterMs !== undefined) throw limitReached("oauthSignInsPerClient", retryAfterMs, { provider: id })
}

/**
 * Parameters that a link or a form may never set, because they change the request or disable a check (RFC 9700 §2.1).
 */
const RESERVED = new Set([
  "client_id",
  "client_secret",
  "redirect_uri",
  "response_type",
  "response_mode",
  "state",
  "nonce",
  "request",
  "request_uri",
  "registration",
  // fields of our sign-in form
  "callbackurl",
  "csrftoken",
])

/** Parameters that request permissions (RFC 6749 §3.3, RFC 9396 §2). They need `allowScopeOverride`. */
const SCOPE_PARAMS = new Set(["scope", "authorization_details"])

/**
 * True if a parameter is passed to the provider. Servers normalise names: ASP.NET ignores case, and PHP converts a dot,
 * a space or a bracket to an underscore. A name that could become a reserved one is not passed.
 */
function isPassedOn(name: string, { allowsScopeOverride, authorizationParams, resources }: ReadyOAuth): boolean {
  const read = name.toLowerCase()
  if (!/^[a-z][a-z\d_-]*$/.test(read) || RESERVED.has(read) || read.startsWith("code_challenge")) return false
  if (read !== name && Object.hasOwn(authorizationParams, read)) return false
  if (read === "resource" && resources.length > 0) return false
  return !SCOPE_PARAMS.has(read) || (allowsScopeOverride && name === read)
}

/** Authorization parameters from the sign-in query: `prompt`, `login_hint`, `ui_locales` and the like. */
const requestedParams = ({ query }: AuthCall, provider: ReadyOAuth): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter(([name]) => isPassedOn(name, provider)))

/** Parses whole seconds; NaN for anything else. */
const toSeconds = (text = ""): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN)

/** Merges the parameters of the configuration and of the call. A call can lower `max_age`, but not raise it. */
function authorizationParams(call: AuthCall, provider: ReadyOAuth): Record<string, string> {
  const [configured, requested] = [provider.authorizationParams, requestedParams(call, provider)]
  const params = { ...configured, ...requested }
  const limit = configured["max_age"]
  const isStricter = toSeconds(requested["max_age"]) < Number(limit)
  return limit === undefined || isStricter ? params : { ...params, max_age: limit }
}

interface AuthorizationTarget {
  readonly endpoint: string
  /** Undefined if it is not needed, because all endpoints are configured. */
  readonly as: AuthorizationServer | undefined
}

async function findTarget(provider: ReadyOAuth, runtime: MethodRuntime): Promise<AuthorizationTarget> {
  const { authorizationUrl, source, usesDiscovery, usesDpop } = provider
  // The metadata can require more than the endpoint, for example pushed requests.
  const isNeeded = usesDiscovery || source.pushedAuthorizationRequests || usesDpop
  const as = isNeeded ? await loadMetadata(provider, runtime) : undefined
  if (as) checkRequirements(as, provider)
  const endpoint = authorizationUrl ?? as?.authorization_endpoint
  if (!endpoint) throw new Error("the provider's metadata has no authorization_endpoint")
  requireSecureUrl(endpoint, provider)
  return { endpoint, as }
}

/** Returns the URL to which the browser is redirected. */
async function createUrl(
  { endpoint, as }: AuthorizationTarget,
  params: URLSearchParams,
  provider: ReadyOAuth,
): Promise<string> {
  const url = new URL(endpoint)
  const query = as && pushesRequests(as, provider.source) ? await pushRequest(as, params, provider) : params
  for (const name of query.keys()) url.searchParams.delete(name)
  for (const [name, value] of query) url.searchParams.append(name, value)
  return url.href
}

/** The current user, to whom the account may be linked. Without an adapter no accounts are linked. */
async function currentUserAtStart(
  call: AuthCall,
  { adapter, sessions }: MethodRuntime,
): Promise<{ userId?: string | null }> {
  if (!adapter) return {}
  const id = await sessions.currentUserId(call)
  return { userId: id === undefined ? null : String(id) }
}

async function createFlow(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: MethodRuntime,
  { params, accountId }: { readonly params: Record<string, string>; readonly accountId: string | undefined },
): Promise<Flow> {
  const { scope, acr_values: acrValues } = params
  const maxAge = toSeconds(params["max_age"])
  return {
    provider: provider.id,
    callbackUrl: call.callbackUrl,
    ...(call.remember && { remember: true }),
    ...(call.isReauthentication && { isReauthentication: true, ...(acrValues !== undefined && { acrValues }) }),
    ...(call.isReauthentication && call.requiredQuery && { requiredQuery: call.requiredQuery }),
    returnPath: currentReturnPath(call, provider),
    ...(provider.checks.has("state") && { state: createState(call, provider, runtime) }),
    ...(provider.checks.has("pkce") && { verifier: randomText() }),
    ...(provider.checks.has("nonce") && { nonce: randomText() }),
    ...(maxAge >= 0 && { maxAge }),
    ...(scope !== undefined && scope !== provider.authorizationParams["scope"] && { scope }),
    ...(accountId !== undefined && { accountId }),
    ...(await currentUserAtStart(call, runtime)),
  }
}

/** The parameters of this flow (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1). */
const flowParams = ({ state, verifier, nonce }: Flow): Record<string, string> => ({
  ...(state && { state }),
  ...(verifier && { code_challenge: sha256Base64url(verifier), code_challenge_method: "S256" }),
  ...(nonce && { nonce }),
})

/** Describes the request for the trace, so that it can be compared with the provider's console. */
function describeRequest(params: URLSearchParams, { state, verifier, nonce }: Flow): string {
  const named = ["client_id", "redirect_uri", "scope"].map((name) => `${name} ${JSON.stringify(params.get(name))}`)
  const checks = [verifier && "pkce", state && "state", nonce && "nonce"].filter(Boolean)
  return `with ${named.join(", ")}, checks ${checks.join(" + ") || "none"}`
}

/**
 * Adds scopes to those of the parameters, some of which vendors return with commas. Without any, there is no parameter,
 * because an empty scope is invalid (RFC 6749 §3.3).
 */
function withScopes(params: Record<string, string>, added: string, { scopeSeparator }: ReadyOAuth) {
  const { scope = "", ...others } = params
  const merged = [...new Set([...parseScopes(scope), ...parseScopes(added)])].join(scopeSeparator)
  return { ...others, ...(merged && { scope: merged }) }
}

/** Sends the browser to the provider. */
export async function startOAuth(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: MethodRuntime,
  request?: AuthorizationRequest,
): Promise<Reply> {
  await limitStarts(call, provider, runtime)
  const own = authorizationParams(call, provider)
  const params = request ? withScopes(own, request.scope, provider) : own
  const flow = await createFlow(call, provider, runtime, { params, accountId: request?.accountId })
  identifyFlow(call.trace, flow, 1)
  const redirect_uri = redirectUri(call, provider)
  const fixed = { response_type: "code", client_id: provider.client.client_id, redirect_uri }
  const single = Object.entries({ ...fixed, ...params, ...flowParams(flow) })
  const complete = new URLSearchParams([...single, ...resourceParams(provider)])
  const tracked = trackSecrets(provider)
  const url = await findTarget(tracked.provider, runtime)
    .then((target) => {
      call.trace?.write("oauth", `requests ${target.endpoint} ${describeRequest(complete, flow)}`)
      return createUrl(target, complete, tracked.provider)
    })
    .catch((error: unknown) => {
      throw startFailure(error, { flow, redirect_uri, ...tracked })
    })
  return redirect(url, putFlow(flow, call, provider, runtime))
}

function startFailure(
  error: unknown,
  { flow, provider, secrets, redirect_uri }: TrackedSecrets & { readonly flow: Flow; readonly redirect_uri: string },
): OAuthSignInError {
  const failure = new OAuthSignInError("the sign-in could not be started", {
    provider: provider.id,
    err: sanitizeProviderError(error, [flow.state, flow.nonce, ...secrets]),
    ...(error instanceof EndpointRefusal && hintFor(error, redirect_uri)),
  })
  return coded(readReason(error) ?? "sign-in-not-started", failure)
}
