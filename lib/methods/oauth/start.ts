import type { AuthorizationServer } from "oauth4webapi"
import { coded } from "../../errors/error-codes.js"
import { OAuthSignInError } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { type Reply, redirect } from "../../http/reply.js"
import { createLimitError } from "../../security/limits.js"
import { clientNetwork } from "../../security/rate-limit.js"
import { randomText, sha256Base64url } from "../../security/tokens.js"
import { parseScopes } from "../../tokens/token-state.js"
import type { AuthorizationRequest, MethodRuntime } from "../method.js"
import { pushesRequests } from "./endpoint.js"
import { type Flow, identifyFlow, putFlow, redirectUriPath } from "./flow.js"
import { loadMetadata } from "./logout.js"
import { type ReadyOAuth, requireSecureUrl } from "./prepare.js"
import { EndpointRefusal, refusalHint, sanitizeProviderError } from "./provider-errors.js"
import { createState, redirectUri } from "./proxy.js"
import { pushRequest } from "./pushed-request.js"
import { readMessageCode } from "./reason.js"
import { checkRequirements } from "./requirements.js"
import { resourceParams } from "./token-request.js"
import { type TrackedSecrets, trackSecrets } from "./tracked-secrets.js"

/**
 * Counts the start of a sign-in for the client's IP address. Clients without a known address are not counted, because
 * they would share one limit and block each other. This is safe, because the start of a sign-in neither checks a secret
 * nor sends an email.
 *
 * @throws TooManyAttempts if the limit is reached
 */
async function countStart(
  { clientAddress }: AuthCall,
  { id }: Pick<ReadyOAuth, "id">,
  { limits }: MethodRuntime,
): Promise<void> {
  if (!limits || !clientAddress) return
  const retryAfterMs = await limits.count("oauthSignInsPerClient", clientNetwork(clientAddress))
  if (retryAfterMs !== undefined) throw createLimitError("oauthSignInsPerClient", retryAfterMs, { provider: id })
}

/**
 * Parameters that the sign-in query may never set, because they change the request or disable a check (RFC 9700 §2.1).
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
  // fields of this package's sign-in form
  "callbackurl",
  "csrftoken",
])

/**
 * Parameters that request permissions (RFC 6749 §3.3, RFC 9396 §2). The sign-in query may set them only with
 * `allowScopeOverride`.
 */
const SCOPE_PARAMS = new Set(["scope", "authorization_details"])

/**
 * True if a parameter of the sign-in query is sent to the provider. A provider may normalise names: ASP.NET ignores
 * case, and PHP converts a dot, a space or a bracket to an underscore. So another spelling of a reserved name, a scope
 * parameter or a configured parameter is not sent.
 */
function isForwarded(name: string, { allowsScopeOverride, authorizationParams, resources }: ReadyOAuth): boolean {
  const lowerName = name.toLowerCase()
  if (!/^[a-z][a-z\d_-]*$/.test(lowerName) || RESERVED.has(lowerName) || lowerName.startsWith("code_challenge"))
    return false
  const configuredNames = Object.keys(authorizationParams)
  if (configuredNames.some((configured) => configured !== name && configured.toLowerCase() === lowerName)) return false
  if (lowerName === "resource" && resources.length > 0) return false
  return !SCOPE_PARAMS.has(lowerName) || (allowsScopeOverride && name === lowerName)
}

/** Returns the authorization parameters of the sign-in query: `prompt`, `login_hint`, `ui_locales` and the like. */
const requestedParams = ({ query }: AuthCall, provider: ReadyOAuth): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter(([name]) => isForwarded(name, provider)))

/** Parses whole seconds. Returns NaN for any other text. */
const parseSeconds = (text = ""): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN)

/** Merges the configured parameters and those of the sign-in query. The query can lower `max_age`, but not raise it. */
function mergeAuthorizationParams(call: AuthCall, provider: ReadyOAuth): Record<string, string> {
  const [configured, requested] = [provider.authorizationParams, requestedParams(call, provider)]
  const params = { ...configured, ...requested }
  const limit = configured["max_age"]
  const isStricter = parseSeconds(requested["max_age"]) < Number(limit)
  return limit === undefined || isStricter ? params : { ...params, max_age: limit }
}

interface AuthorizationTarget {
  /** The URL of the authorization endpoint. */
  readonly endpoint: string
  /** The provider's metadata; undefined if the request does not need it. */
  readonly as: AuthorizationServer | undefined
}

/** Finds the authorization endpoint. @throws Error if it is missing or insecure, or if `checkRequirements` throws */
async function findTarget(provider: ReadyOAuth, runtime: MethodRuntime): Promise<AuthorizationTarget> {
  const { authorizationUrl, source, usesDiscovery } = provider
  // Even if the endpoint is configured, the metadata may require an extension, for example pushed requests.
  const needsMetadata = usesDiscovery || source.pushedAuthorizationRequests
  const as = needsMetadata ? await loadMetadata(provider, runtime) : undefined
  if (as) checkRequirements(as, provider)
  const endpoint = authorizationUrl ?? as?.authorization_endpoint
  if (!endpoint) throw new Error("the provider's metadata has no authorization_endpoint")
  requireSecureUrl(endpoint, provider)
  return { endpoint, as }
}

/**
 * Returns the URL of the authorization request. Pushes the parameters first if `pushedAuthorizationRequests` is set or
 * the metadata requires it.
 */
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

/**
 * Returns the member `userId` of the flow: the id of the current user, to whom the account may be linked, or null
 * without a session. Without an adapter, no accounts are linked, so the member is left out.
 */
async function createUserIdMember(
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
  const { scope } = params
  // The query contains what a route requires. The configured `acrValues` are only a hint, so they are not verified.
  const acrValues = call.query["acr_values"]
  const maxAge = parseSeconds(params["max_age"])
  return {
    provider: provider.id,
    callbackUrl: call.callbackUrl,
    ...(call.remember && { remember: true }),
    ...(call.isReauthentication && { isReauthentication: true, ...(acrValues !== undefined && { acrValues }) }),
    ...(call.isReauthentication && call.requiredQuery && { requiredQuery: call.requiredQuery }),
    returnPath: redirectUriPath(call, provider),
    ...(provider.checks.has("state") && { state: createState(call, provider, runtime) }),
    ...(provider.checks.has("pkce") && { verifier: randomText() }),
    ...(provider.checks.has("nonce") && { nonce: randomText() }),
    ...(maxAge >= 0 && { maxAge }),
    ...(scope !== undefined && scope !== provider.authorizationParams["scope"] && { scope }),
    ...(accountId !== undefined && { accountId }),
    ...(await createUserIdMember(call, runtime)),
  }
}

/** Returns the parameters for a flow's checks (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1). */
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
 * Adds scopes to the parameter `scope`. The scopes in `added` may also be separated by commas, because they include
 * granted scopes in the format in which the provider has returned them. Without scopes the parameter is left out,
 * because RFC 6749 §3.3 forbids an empty scope.
 */
function addScopes(params: Record<string, string>, added: string, { scopeSeparator }: ReadyOAuth) {
  const { scope = "", ...others } = params
  const merged = [...new Set([...parseScopes(scope), ...parseScopes(added)])].join(scopeSeparator)
  return { ...others, ...(merged && { scope: merged }) }
}

/**
 * Redirects the browser to the provider's authorization endpoint, and stores the flow in a cookie.
 *
 * @throws OAuthSignInError if the provider can't be reached, its metadata can't be used, or it rejects the pushed
 * parameters; TooManyAttempts if the client has started too many sign-ins
 */
export async function startOAuth(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: MethodRuntime,
  accessRequest?: AuthorizationRequest,
): Promise<Reply> {
  await countStart(call, provider, runtime)
  const callParams = mergeAuthorizationParams(call, provider)
  const params = accessRequest ? addScopes(callParams, accessRequest.scope, provider) : callParams
  const flow = await createFlow(call, provider, runtime, { params, accountId: accessRequest?.accountId })
  identifyFlow(call.trace, flow, 1)
  const redirect_uri = redirectUri(call, provider)
  const clientParams = { response_type: "code", client_id: provider.client.client_id, redirect_uri }
  const entries = Object.entries({ ...clientParams, ...params, ...flowParams(flow) })
  // `resource` may occur several times.
  const query = new URLSearchParams([...entries, ...resourceParams(provider)])
  const tracked = trackSecrets(provider)
  const url = await findTarget(tracked.provider, runtime)
    .then((target) => {
      call.trace?.write("oauth", `requests ${target.endpoint} ${describeRequest(query, flow)}`)
      return createUrl(target, query, tracked.provider)
    })
    .catch((error: unknown) => {
      throw createStartError(error, { flow, redirect_uri, ...tracked })
    })
  return redirect(url, putFlow(flow, call, provider, runtime))
}

function createStartError(
  error: unknown,
  { flow, provider, secrets, redirect_uri }: TrackedSecrets & { readonly flow: Flow; readonly redirect_uri: string },
): OAuthSignInError {
  const failure = new OAuthSignInError("the sign-in could not be started", {
    provider: provider.id,
    err: sanitizeProviderError(error, [flow.state, flow.nonce, ...secrets]),
    ...(error instanceof EndpointRefusal && refusalHint(error, redirect_uri)),
  })
  return coded(readMessageCode(error) ?? "sign-in-not-started", failure)
}
