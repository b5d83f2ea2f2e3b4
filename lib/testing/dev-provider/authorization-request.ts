import { type Destination, Refusal } from "./refusal.js"
import { type ProviderState, param, repeatedName } from "./state.js"

/** An authorization request that holds (OpenID Connect Core §3.1.2.1). */
export interface AuthorizationRequest extends Destination {
  readonly scope: string
  /** RFC 7636 §4.2, by S256. */
  readonly challenge: string
  readonly nonce: string | undefined
  readonly prompts: ReadonlySet<string>
  readonly maxAgeSeconds: number | undefined
  readonly loginHint: string | undefined
}

const CHALLENGE = /^[\w-]{43}$/
const PROMPTS = ["none", "login", "consent", "select_account"]

/**
 * Where the answer may go. Until that is known, nothing goes back through the browser (RFC 6749 §4.1.2.1).
 */
function requireDestination(params: URLSearchParams, state: ProviderState): Destination {
  const clientId = param(params, "client_id")
  if (clientId !== state.clientId)
    throw new Refusal("invalid_client", `client_id is ${JSON.stringify(clientId ?? null)}, and not "${state.clientId}"`)
  const redirectUri = param(params, "redirect_uri")
  if (redirectUri === undefined || !state.isOurs(redirectUri))
    throw new Refusal(
      "invalid_request",
      `redirect_uri is ${JSON.stringify(redirectUri ?? null)}. Addresses of this machine are taken by themselves, others when they are given: devProvider({ redirectUris: ["https://app.test/auth/callback/dev"] })`,
    )
  const repeated = repeatedName(params)
  if (repeated !== undefined) throw new Refusal("invalid_request", `"${repeated}" is there more than once`)
  const responseMode = param(params, "response_mode") === "form_post" ? "form_post" : "query"
  return { redirectUri, responseMode, state: param(params, "state") }
}

/** What the application is told of its request; undefined when nothing is wrong. */
function problemOf(params: URLSearchParams): readonly [code: string, description: string] | undefined {
  const of = (name: string) => param(params, name)
  const prompts = of("prompt")?.split(" ") ?? []
  if (of("request")) return ["request_not_supported", "request objects are not read here"]
  if (of("request_uri")) return ["request_uri_not_supported", "request objects are not read here"]
  if (of("response_type") !== "code") return ["unsupported_response_type", 'response_type has to be "code"']
  if (!["query", "form_post"].includes(of("response_mode") ?? "query"))
    return ["invalid_request", 'response_mode has to be "query" or "form_post"']
  if (!of("scope")?.split(" ").includes("openid")) return ["invalid_scope", 'scope has to have "openid" in it']
  // RFC 9700 §2.1.1. A method that is left out would mean "plain" (RFC 7636 §4.3).
  if (of("code_challenge_method") !== "S256" || !CHALLENGE.test(of("code_challenge") ?? ""))
    return ["invalid_request", "PKCE is required: code_challenge, with code_challenge_method=S256"]
  if (!/^\d{0,9}$/.test(of("max_age") ?? "")) return ["invalid_request", "max_age has to be a number of seconds"]
  if (prompts.some((prompt) => !PROMPTS.includes(prompt)))
    return ["invalid_request", `prompt has to be of ${PROMPTS.join(", ")}`]
  if (prompts.includes("none") && prompts.length > 1) return ["invalid_request", 'prompt "none" stands alone']
  return undefined
}

/**
 * Reads an authorization request.
 *
 * @throws Refusal
 */
export function requireAuthorizationRequest(params: URLSearchParams, state: ProviderState): AuthorizationRequest {
  const to = requireDestination(params, state)
  const problem = problemOf(params)
  if (problem) throw new Refusal(...problem, { to })
  const maxAge = param(params, "max_age")
  return {
    ...to,
    scope: param(params, "scope") ?? "",
    challenge: param(params, "code_challenge") ?? "",
    nonce: param(params, "nonce"),
    prompts: new Set(param(params, "prompt")?.split(" ")),
    maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
    loginHint: param(params, "login_hint"),
  }
}
