/**
 * Logout at the provider (OpenID Connect RP-Initiated Logout 1.0): after sign-out, the browser is redirected to the
 * provider, which redirects the browser back.
 *
 * @module
 */

import type { AuthorizationServer } from "oauth4webapi"
import { withTimeout } from "../../base/timeout.js"
import { CodedError, coded } from "../../errors/error-codes.js"
import { InvalidCheck, InvalidEndpoints, SignOutError } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import { type Reply, redirect } from "../../http/reply.js"
import { openOrEmpty, seal } from "../../security/jwe.js"
import {
  dropSealedFlow,
  type FlowKind,
  findSealedFlow,
  hashFlowKey,
  putSealedFlow,
} from "../../security/sealed-flows.js"
import type { RegisteredSession } from "../../sessions/session.js"
import type { CallbackState, MethodRuntime, PendingFlow } from "../method.js"
import { type ReadyOAuth, requireSecureUrl } from "./prepare.js"
import { sanitizeProviderError } from "./provider-errors.js"
import { createState, forwardToDeployment, redirectUri } from "./proxy.js"
import { readMessageCode } from "./reason.js"

const FLOWS: FlowKind = { cookie: "state", purpose: "latchkey.logout" }
const HINT_PURPOSE = "latchkey.id-token"
/**
 * The time for which a hint can be opened: longer than any session lasts. The session's record contains the hint, so
 * both are deleted together.
 */
const HINT_MAX_AGE_SECONDS = 10 * 365 * 86_400
/**
 * The maximum length of an id_token that is used as a hint, in characters. A hint becomes part of a URL, and servers
 * refuse URLs of more than about 8,000 characters.
 */
const MAX_HINT_LENGTH = 6_000
/** How long sign-out waits for the provider's metadata. The local session has already ended, so the wait is short. */
const TIMEOUT_MS = 3_000

/**
 * Returns the sealed id_token of a sign-in, to be stored in the session's record. Without an `id_token_hint`, the
 * provider may ask the user to confirm the logout. Returns no hint if logout at the provider is off, or if the id_token
 * is missing or too long.
 */
export function sealLogoutHint(
  idToken: string | undefined,
  { logsOut }: ReadyOAuth,
  { keys, now }: Pick<MethodRuntime, "keys" | "now">,
): { readonly logoutHint?: string } {
  if (!logsOut || !idToken || idToken.length > MAX_HINT_LENGTH) return {}
  return { logoutHint: seal({ idToken }, keys.for(HINT_PURPOSE), HINT_MAX_AGE_SECONDS, now()) }
}

/** Returns the id_token of a session; undefined without a hint, or if the secret that sealed it has been removed. */
function openLogoutHint({ logoutHint }: RegisteredSession, { keys, now }: MethodRuntime): string | undefined {
  const { idToken } = openOrEmpty(logoutHint, keys.for(HINT_PURPOSE), now())
  return typeof idToken === "string" ? idToken : undefined
}

/** Loads the provider's metadata. Logs once if the option `logout` needs an endpoint that the metadata lacks. */
export async function loadMetadata(provider: ReadyOAuth, runtime: MethodRuntime): Promise<AuthorizationServer> {
  const as = await provider.metadata.get()
  if (provider.logsOut && !provider.endSessionUrl && !as.end_session_endpoint) reportMissingEndpoint(provider, runtime)
  return as
}

function reportMissingEndpoint({ id }: ReadyOAuth, { logger, warnedOnce }: MethodRuntime): void {
  if (!warnedOnce.addIfAbsent(`logout-endpoint-missing ${id}`)) return
  const message =
    "logout is true, but the provider's metadata has no end_session_endpoint, so sign-out can't sign users out at the provider. Remove logout: true"
  logger.failure(coded("logout-endpoint-missing", new InvalidEndpoints(message, { provider: id })))
}

/** Returns the logout endpoint; undefined if the provider has none. */
async function findEndSessionUrl(provider: ReadyOAuth, runtime: MethodRuntime): Promise<string | undefined> {
  const createTimeoutError = () =>
    new CodedError("provider-unreachable", `the provider's metadata was not loaded within ${TIMEOUT_MS / 1000} s`)
  const url =
    provider.endSessionUrl ??
    (await withTimeout(loadMetadata(provider, runtime), TIMEOUT_MS, createTimeoutError)).end_session_endpoint
  if (url) requireSecureUrl(url, provider)
  return url
}

/** Returns the parameters of the logout request (§2). */
const logoutParams = (
  hint: string | undefined,
  { call, provider, state }: { call: AuthCall; provider: ReadyOAuth; state: string },
): Record<string, string> => ({
  ...(hint !== undefined && { id_token_hint: hint }),
  client_id: provider.client.client_id,
  post_logout_redirect_uri: redirectUri(call, provider, "post-logout"),
  state,
})

/**
 * Redirects the browser to the provider, after its session has ended here. Returns undefined if the provider has no
 * logout endpoint. `loadMetadata` has logged this.
 *
 * @throws SignOutError if the provider's metadata can't be loaded, or the endpoint is not secure
 */
export async function startLogout(
  call: AuthCall,
  { provider, session }: { readonly provider: ReadyOAuth; readonly session: RegisteredSession },
  runtime: MethodRuntime,
): Promise<Reply | undefined> {
  const endpoint = await findEndSessionUrl(provider, runtime).catch((error: unknown) => {
    const facts = { provider: provider.id, err: sanitizeProviderError(error) }
    const messageCode = readMessageCode(error) ?? "provider-unreachable"
    // Status 502, because the log is limited to ten errors per minute for this status. Otherwise a provider that is
    // down could flood the log.
    throw new SignOutError("the user is signed out here, but not at the provider", facts, { messageCode, status: 502 })
  })
  if (!endpoint) return undefined
  const state = createState(call, provider, runtime, "post-logout")
  const url = new URL(endpoint)
  const params = logoutParams(openLogoutHint(session, runtime), { call, provider, state })
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  const content = { provider: provider.id, callbackUrl: call.callbackUrl }
  return redirect(url.href, putSealedFlow(FLOWS, { part: hashFlowKey(state), content }, call, runtime))
}

/**
 * Finds the pending logout of a browser that returns from the provider. `pending` is true if this browser has started
 * the logout.
 */
export function resumeLogout(call: AuthCall, { id }: ReadyOAuth, runtime: MethodRuntime): PendingFlow<boolean> {
  const part = hashFlowKey(call.query["state"] ?? "")
  const { provider, callbackUrl } = findSealedFlow(FLOWS, part, call, runtime)?.content ?? {}
  const isOwnLogout = provider === id && typeof callbackUrl === "string"
  return { pending: isOwnLogout, ...(isOwnLogout && { callbackUrl }), cookies: dropSealedFlow(FLOWS, part, call) }
}

/**
 * Finishes a logout at the provider: redirects the browser to the return URL of its sign-out (§3). On the redirect
 * proxy, redirects the browser to the deployment where the logout started.
 *
 * @throws InvalidCheck if this browser has started no logout with the state of the response
 */
export function finishLogout(
  call: AuthCall,
  { provider, pending: isOwnLogout }: CallbackState<ReadyOAuth, boolean>,
  runtime: MethodRuntime,
): Reply {
  if (isOwnLogout) return redirect(call.callbackUrl)
  const forwarded = forwardToDeployment(call, provider, runtime, "post-logout")
  if (forwarded) return forwarded
  const message = "the state of the logout response does not match a logout that this browser has started"
  throw coded("logout-state-invalid", new InvalidCheck(message, { provider: provider.id }))
}
