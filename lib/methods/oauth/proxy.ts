/**
 * `redirectProxyUrl`: a fixed redirect URI that hands answers on to the deployment where a sign-in began.
 *
 * @module
 */
import { coded } from "../../error-codes.js"
import { InvalidCheck } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import { FLOW_MAX_AGE_SECONDS } from "../../http/cookies.js"
import { type Reply, redirect } from "../../http/reply.js"
import type { Runtime } from "../../runtime.js"
import { type Claims, open, seal } from "../../security/jwe.js"
import { randomText } from "../../security/tokens.js"
import { requireOnce } from "./once.js"
import type { ReadyOAuth } from "./prepare.js"

/** The contract's purpose for a state, so that deployments of Auth.js and of this package can share a proxy. */
const PURPOSE = "encodedState"

const ownCallback = (call: AuthCall, provider: ReadyOAuth) => `${call.base}/callback/${provider.id}`

const isOnProxy = (call: AuthCall, proxyUrl: string) => new URL(proxyUrl).origin === call.origin

/** The redirect URI to register at the provider, and to repeat at the token endpoint (RFC 6749 §4.1.3). */
export function redirectUriOf(call: AuthCall, provider: ReadyOAuth): string {
  const { redirectProxyUrl } = provider
  return redirectProxyUrl
    ? `${redirectProxyUrl.replace(/\/$/, "")}/callback/${provider.id}`
    : ownCallback(call, provider)
}

/** A state that nobody can guess; with a proxy it also says, sealed, where the answer is to go. */
export function createState(call: AuthCall, provider: ReadyOAuth, runtime: Runtime): string {
  const { redirectProxyUrl } = provider
  if (!redirectProxyUrl) return randomText()
  const origin = isOnProxy(call, redirectProxyUrl) ? {} : { origin: ownCallback(call, provider) }
  return seal(
    { random: randomText(), ...origin },
    runtime.redirectProxyKeys.for(PURPOSE),
    FLOW_MAX_AGE_SECONDS,
    runtime.now(),
  )
}

/** On the proxy: the redirect that hands an answer on; undefined when it is meant for this deployment. */
export function handOn(call: AuthCall, provider: ReadyOAuth, runtime: Runtime): Reply | undefined {
  const { state } = call.query
  if (!provider.redirectProxyUrl || !isOnProxy(call, provider.redirectProxyUrl) || !state) return undefined
  const { origin } = openState(state, provider, runtime)
  if (typeof origin !== "string" || !URL.canParse(origin) || new URL(origin).origin === call.origin) return undefined
  requireOnce(call, provider)
  const callback = new URL(origin)
  requireSameProvider(callback, provider)
  requireAllowed(callback.origin, provider, runtime)
  return redirect(`${callback.origin}${callback.pathname}?${new URLSearchParams({ ...call.query })}`)
}

/**
 * Mix-up (RFC 9700 §4.4): a provider may send people who began with it on to another one, with its own state. At the
 * deployment that flow's cookie would fit, and the other one's code would go to this provider's token endpoint.
 */
function requireSameProvider({ pathname }: URL, { id }: ReadyOAuth): void {
  if (pathname.endsWith(`/callback/${id}`)) return
  throw coded(
    "redirect-proxy-provider-mismatch",
    new InvalidCheck("an answer came to the callback of another provider than the one that its sign-in began with", {
      provider: id,
    }),
  )
}

/**
 * The seal shows that a deployment with our secret made the state. A forged `Host` header can make that deployment name
 * any origin, so only a list of the deployments keeps codes from going elsewhere.
 */
function requireAllowed(origin: string, provider: ReadyOAuth, { config }: Runtime): void {
  const { redirectProxyOrigins } = config
  const facts = { provider: provider.id, origin }
  if (!redirectProxyOrigins)
    throw coded(
      "redirect-proxy-origins-missing",
      new InvalidCheck(
        `redirectProxyOrigins is missing, so an answer for ${origin} is not handed on. If that deployment is yours, write redirectProxyOrigins: ["${origin}"]`,
        facts,
      ),
    )
  if (redirectProxyOrigins.some((allowed) => matches(origin, allowed))) return
  throw coded(
    "redirect-proxy-origin-unlisted",
    new InvalidCheck("an answer is for a deployment that redirectProxyOrigins does not list", facts),
  )
}

/** `https://*.preview.example.com` stands for every name one level below. */
function matches(origin: string, allowed: string): boolean {
  const [before = "", after] = allowed.split("*")
  if (after === undefined) return origin === allowed
  const label = origin.slice(before.length, origin.length - after.length)
  return origin.startsWith(before) && origin.endsWith(after) && /^[a-z\d-]+$/.test(label)
}

function openState(state: string, provider: ReadyOAuth, runtime: Runtime): Claims {
  try {
    return open(state, runtime.redirectProxyKeys.for(PURPOSE), runtime.now())
  } catch {
    throw coded(
      "redirect-proxy-state-unreadable",
      new InvalidCheck(
        "State could not be decoded: proxy and deployment need the same AUTH_REDIRECT_PROXY_SECRET, or without it the same AUTH_SECRET, and 15 minutes are the limit",
        { provider: provider.id },
      ),
    )
  }
}
