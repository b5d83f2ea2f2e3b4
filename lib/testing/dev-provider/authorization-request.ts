import { type Destination, Refusal } from "./refusal.js"
import { type ProviderState, param, repeatedName } from "./state.js"

/** A valid authorization request (OpenID Connect Core §3.1.2.1). */
export interface AuthorizationRequest extends Destination {
  readonly scope: string
  /** The PKCE code challenge (RFC 7636 §4.2), with S256. */
  readonly challenge: string
  readonly nonce: string | undefined
  readonly prompts: ReadonlySet<string>
  readonly maxAgeSeconds: number | undefined
  readonly loginHint: string | undefined
}

const CHALLENGE = /^[\w-]{43}$/
const PROMPTS = ["none", "login", "consent", "select_account"]

/**
 * Validates the client and the redirect URI, and rejects repeated parameters. These errors are not redirected to the
 * application (RFC 6749 §4.1.2.1).
 */
function requireDestination(params: URLSearchParams, state: ProviderState): Destination {
  const clientId = param(params, "client_id")
  if (clientId !== state.clientId)
    throw new Refusal(
      "invalid_client",
      `client_id is ${JSON.stringify(clientId ?? null)}; expected "${state.clientId}"`,
    )
  const redirectUri = param(params, "redirect_uri")
  if (redirectUri === undefined || !state.isAllowedRedirect(redirectUri))
    throw new Refusal(
      "invalid_request",
      `redirect_uri is ${JSON.stringify(redirectUri ?? null)}. Loopback addresses are always accepted, others only if they are configured: devProvider({ redirectUris: ["https://app.test/auth/callback/dev"] })`,
    )
  const repeated = repeatedName(params)
  if (repeated !== undefined) throw new Refusal("invalid_request", `"${repeated}" is repeated`)
  const responseMode = param(params, "response_mode") === "form_post" ? "form_post" : "query"
  return { redirectUri, responseMode, state: param(params, "state") }
}

/** Returns the error that is sent to the application; undefined if the request is valid. */
function findProblem(params: URLSearchParams): readonly [code: string, description: string] | undefined {
  const value = (name: string) => param(params, name)
  const prompts = value("prompt")?.split(" ") ?? []
  if (value("request")) return ["request_not_supported", "request objects are not supported"]
  if (value("request_uri")) return ["request_uri_not_supported", "request objects are not supported"]
  if (value("response_type") !== "code") return ["unsupported_response_type", 'response_type must be "code"']
  if (!["query", "form_post"].includes(value("response_mode") ?? "query"))
    return ["invalid_request", 'response_mode must be "query" or "form_post"']
  if (!value("scope")?.split(" ").includes("openid")) return ["invalid_scope", 'scope must contain "openid"']
  // RFC 9700 §2.1.1. A missing method would mean "plain" (RFC 7636 §4.3).
  if (value("code_challenge_method") !== "S256" || !CHALLENGE.test(value("code_challenge") ?? ""))
    return ["invalid_request", "PKCE is required: code_challenge, with code_challenge_method=S256"]
  if (!/^\d{0,9}$/.test(value("max_age") ?? "")) return ["invalid_request", "max_age must be a number of seconds"]
  if (prompts.some((prompt) => !PROMPTS.includes(prompt)))
    return ["invalid_request", `prompt must be one of ${PROMPTS.join(", ")}`]
  if (prompts.includes("none") && prompts.length > 1)
    return ["invalid_request", 'prompt "none" cannot be combined with other values']
  return undefined
}

/**
 * Reads an authorization request.
 *
 * @throws Refusal if the request is invalid
 */
export function requireAuthorizationRequest(params: URLSearchParams, state: ProviderState): AuthorizationRequest {
  const to = requireDestination(params, state)
  const problem = findProblem(params)
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
