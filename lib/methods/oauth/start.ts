import { coded } from "../../error-codes.js"
import { OAuthSignInError } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import { type Reply, redirect } from "../../http/reply.js"
import type { Runtime } from "../../runtime.js"
import { randomText, sha256Base64url } from "../../security/tokens.js"
import { plainError } from "./fault.js"
import { type Flow, identifyFlow, putFlow, returnPathOf } from "./flow.js"
import { limitStarts } from "./limit.js"
import { type ReadyOAuth, requireCallable } from "./prepare.js"
import { createState, redirectUriOf } from "./proxy.js"
import { reasonOf } from "./reason.js"
import { checkRequirements } from "./requirements.js"

/** What a link or a form may never set: it would change who is asked for what, or take a check away (RFC 9700 §2.1). */
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
  // ours, not the provider's
  "callbackurl",
  "csrftoken",
])

/** What a client may ask for: more of it is the operator's to decide (RFC 6749 §3.3, RFC 9396 §2). */
const RIGHTS = new Set(["scope", "authorization_details"])

/**
 * Servers read names more freely than they stand in a specification: ASP.NET in capitals too, PHP a dot, a space or a
 * bracket as an underscore. A name that could become another one's is not passed on.
 */
function isPassedOn(name: string, { allowsScopeOverride, authorizationParams }: ReadyOAuth): boolean {
  const read = name.toLowerCase()
  if (!/^[a-z][a-z\d_-]*$/.test(read) || RESERVED.has(read) || read.startsWith("code_challenge")) return false
  if (read !== name && Object.hasOwn(authorizationParams, read)) return false
  return !RIGHTS.has(read) || (allowsScopeOverride && name === read)
}

/** Authorization parameters from the sign-in query: `prompt`, `login_hint`, `ui_locales` and the like. */
const requestedParams = ({ query }: AuthCall, provider: ReadyOAuth): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter(([name]) => isPassedOn(name, provider)))

/** Whole seconds; NaN of anything else. */
const toSeconds = (text = ""): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN)

/**
 * The parameters of the configuration and of the call. How old a sign-in at the provider may be can be made stricter
 * by a call, never laxer.
 */
function authorizationParams(call: AuthCall, provider: ReadyOAuth): Record<string, string> {
  const [own, asked] = [provider.authorizationParams, requestedParams(call, provider)]
  const params = { ...own, ...asked }
  const limit = own["max_age"]
  const isStricter = toSeconds(asked["max_age"]) < Number(limit)
  return limit === undefined || isStricter ? params : { ...params, max_age: limit }
}

async function authorizationEndpoint(provider: ReadyOAuth): Promise<string> {
  const as = provider.authorizationUrl === undefined ? await provider.metadata.get() : undefined
  if (as) checkRequirements(as)
  const endpoint = provider.authorizationUrl ?? as?.authorization_endpoint
  if (!endpoint) throw new Error("the provider's metadata has no authorization_endpoint")
  requireCallable(endpoint, provider)
  return endpoint
}

/** Who may have an account linked; without a store nobody has. */
async function beginner(call: AuthCall, { adapter, sessions }: Runtime): Promise<{ userId?: string | null }> {
  if (!adapter) return {}
  const id = await sessions.currentUserId(call)
  return { userId: id === undefined ? null : String(id) }
}

async function createFlow(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: Runtime,
  params: Record<string, string>,
): Promise<Flow> {
  const maxAge = toSeconds(params["max_age"])
  return {
    provider: provider.id,
    callbackUrl: call.callbackUrl,
    returnPath: returnPathOf(call, provider),
    ...(provider.checks.has("state") && { state: createState(call, provider, runtime) }),
    ...(provider.checks.has("pkce") && { verifier: randomText() }),
    ...(provider.checks.has("nonce") && { nonce: randomText() }),
    ...(maxAge >= 0 && { maxAge }),
    ...(await beginner(call, runtime)),
  }
}

/** The parameters that belong to this attempt alone (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1). */
const flowParams = ({ state, verifier, nonce }: Flow): Record<string, string> => ({
  ...(state && { state }),
  ...(verifier && { code_challenge: sha256Base64url(verifier), code_challenge_method: "S256" }),
  ...(nonce && { nonce }),
})

/** Who asks for what, and by what the answer will be known: what an operator can compare with the provider's console. */
function questionOf({ searchParams }: URL, { state, verifier, nonce }: Flow): string {
  const told = ["client_id", "redirect_uri", "scope"].map((name) => `${name} ${JSON.stringify(searchParams.get(name))}`)
  const checks = [verifier && "pkce", state && "state", nonce && "nonce"].filter(Boolean)
  return `with ${told.join(", ")}, checks ${checks.join(" + ") || "none"}`
}

/** Sends the browser to the provider. */
export async function startOAuth(call: AuthCall, provider: ReadyOAuth, runtime: Runtime): Promise<Reply> {
  await limitStarts(call, provider, runtime)
  const params = authorizationParams(call, provider)
  const flow = await createFlow(call, provider, runtime, params)
  identifyFlow(call.story, flow, 1)
  const endpoint = await authorizationEndpoint(provider).catch((error: unknown) => {
    throw coded(
      reasonOf(error) ?? "sign-in-not-begun",
      new OAuthSignInError("the sign-in could not be begun", { provider: provider.id, err: plainError(error) }),
    )
  })
  const url = new URL(endpoint)
  const own = {
    response_type: "code",
    client_id: provider.client.client_id,
    redirect_uri: redirectUriOf(call, provider),
  }
  for (const [name, value] of Object.entries({ ...own, ...params, ...flowParams(flow) }))
    url.searchParams.set(name, value)
  call.story?.tell("oauth", `asks ${endpoint} ${questionOf(url, flow)}`)
  return redirect(url.href, putFlow(flow, call, provider, runtime))
}
