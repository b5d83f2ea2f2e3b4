/**
 * `redirectProxyUrl`: a fixed redirect URI that forwards responses to the deployment where the sign-in started.
 *
 * @module
 */

import { coded } from "../../errors/error-codes.js"
import { InvalidCheck } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { FLOW_MAX_AGE_SECONDS } from "../../http/cookies.js"
import { type Reply, redirect } from "../../http/reply.js"
import { type Claims, open, seal } from "../../security/jwe.js"
import { randomText } from "../../security/tokens.js"
import type { MethodRuntime } from "../method.js"
import { rejectDuplicateParams } from "./duplicate-params.js"
import type { ReadyOAuth } from "./prepare.js"

/** Auth.js uses the same purpose, so deployments of Auth.js and of this package can share a proxy. */
const PURPOSE = "encodedState"

/** The endpoints to which providers redirect browsers: after a sign-in, and after a logout. */
type ReturnAction = "callback" | "post-logout"

/** Returns the URI of the endpoint on this deployment. */
const ownEndpointUri = (action: ReturnAction, call: AuthCall, provider: ReadyOAuth) =>
  `${call.base}/${action}/${provider.id}`

/** True if this deployment is the proxy. */
const isOnProxy = (call: AuthCall, proxyUrl: string) => new URL(proxyUrl).origin === call.origin

/**
 * Returns the URI to which the provider redirects, and which must be registered at the provider. The token request must
 * contain the same URI as the authorization request (RFC 6749 §4.1.3).
 */
export function redirectUri(call: AuthCall, provider: ReadyOAuth, action: ReturnAction = "callback"): string {
  const { redirectProxyUrl } = provider
  return redirectProxyUrl
    ? `${redirectProxyUrl.replace(/\/$/, "")}/${action}/${provider.id}`
    : ownEndpointUri(action, call, provider)
}

/**
 * Creates an unguessable state. With a proxy, the state is sealed. Unless this deployment is the proxy, the sealed
 * state contains the URI of this deployment's endpoint.
 */
export function createState(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: MethodRuntime,
  action: ReturnAction = "callback",
): string {
  const { redirectProxyUrl } = provider
  if (!redirectProxyUrl) return randomText()
  // Auth.js compatibility: the claim is named `origin`, but contains the whole URI.
  const claims = isOnProxy(call, redirectProxyUrl) ? {} : { origin: ownEndpointUri(action, call, provider) }
  return seal(
    { random: randomText(), ...claims },
    runtime.redirectProxyKeys.for(PURPOSE),
    FLOW_MAX_AGE_SECONDS,
    runtime.now(),
  )
}

/**
 * On the proxy, redirects a response to the deployment where the sign-in or the logout started. Returns undefined if
 * this deployment is not the proxy, or if the response is for this deployment.
 *
 * @throws InvalidCheck if the state is invalid, or forwarding to the deployment is not allowed
 */
export function forwardToDeployment(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: MethodRuntime,
  action: ReturnAction = "callback",
): Reply | undefined {
  const { state } = call.query
  if (!provider.redirectProxyUrl || !isOnProxy(call, provider.redirectProxyUrl) || !state) return undefined
  const { origin: deploymentUri } = openState(state, provider, runtime)
  if (typeof deploymentUri !== "string" || !URL.canParse(deploymentUri)) return undefined
  const target = new URL(deploymentUri)
  if (target.origin === call.origin) return undefined
  rejectDuplicateParams(call, provider)
  requireSameProvider(target, provider, action)
  requireAllowedOrigin(target.origin, provider, runtime)
  return redirect(`${target.origin}${target.pathname}?${new URLSearchParams({ ...call.query })}`)
}

/**
 * Prevents a mix-up attack (RFC 9700 §4.4): a malicious provider redirects its users to an honest provider, with the
 * state of its own flow. The deployment would find that flow and send the honest provider's code to the malicious token
 * endpoint.
 */
function requireSameProvider({ pathname }: URL, { id }: ReadyOAuth, action: ReturnAction): void {
  if (pathname.endsWith(`/${action}/${id}`)) return
  throw coded(
    "redirect-proxy-provider-mismatch",
    new InvalidCheck(
      "the response came to this provider's endpoint, but the sign-in or logout started with another provider",
      { provider: id },
    ),
  )
}

/**
 * Checks that a response may be forwarded to an origin. The seal of the state proves only that a deployment with the
 * same secret created the state. A forged `Host` header can make that deployment write any origin into the state, so
 * codes are forwarded only to the origins in `redirectProxyOrigins`.
 */
function requireAllowedOrigin(origin: string, provider: ReadyOAuth, { config }: MethodRuntime): void {
  const { redirectProxyOrigins } = config
  const facts = { provider: provider.id, origin }
  if (!redirectProxyOrigins)
    throw coded(
      "redirect-proxy-origins-missing",
      new InvalidCheck(
        `redirectProxyOrigins is missing, so the response for ${origin} is not forwarded. If that deployment is yours, write redirectProxyOrigins: ["${origin}"]`,
        facts,
      ),
    )
  if (redirectProxyOrigins.some((entry) => matchesEntry(origin, entry))) return
  throw coded(
    "redirect-proxy-origin-unlisted",
    new InvalidCheck("the response is for a deployment that redirectProxyOrigins does not list", facts),
  )
}

/**
 * True if an origin matches an entry of `redirectProxyOrigins`. In an entry, `*` stands for a label of the host name or
 * for a part of a label: `https://*.example.com`, `https://app-*.example.com`.
 */
function matchesEntry(origin: string, entry: string): boolean {
  const [prefix = "", suffix] = entry.split("*")
  if (suffix === undefined) return origin === entry
  const label = origin.slice(prefix.length, origin.length - suffix.length)
  return origin.startsWith(prefix) && origin.endsWith(suffix) && /^[a-z\d-]+$/.test(label)
}

function openState(state: string, provider: ReadyOAuth, runtime: MethodRuntime): Claims {
  try {
    return open(state, runtime.redirectProxyKeys.for(PURPOSE), runtime.now())
  } catch {
    throw coded(
      "redirect-proxy-state-unreadable",
      new InvalidCheck(
        "State could not be decoded: it is older than 15 minutes, or the proxy and the deployment do not have the same AUTH_REDIRECT_PROXY_SECRET (if that is not set, the same AUTH_SECRET)",
        { provider: provider.id },
      ),
    )
  }
}
