import * as oauth from "oauth4webapi"
import { Fault } from "../../error-codes.js"
import { isPlainObject } from "../../merge.js"
import type { EndpointHandler } from "../../providers/provider.js"
import type { TokenSet } from "../../types.js"
import { readSecret } from "./client-auth.js"
import { withClocks } from "./clocks.js"
import type { Flow } from "./flow.js"
import { peekClaims, requireValidIdToken } from "./id-token.js"
import { type ReadyOAuth, requireCallable } from "./prepare.js"

/** What one exchange of a code needs. */
export interface Exchange {
  readonly as: oauth.AuthorizationServer
  readonly provider: ReadyOAuth
  readonly flow: Flow | undefined
  readonly redirectUri: string
  readonly query: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  readonly nowMs: number
}

export interface ExchangedTokens {
  readonly tokens: TokenSet & { access_token: string }
  /** The id_token's claims, validated; undefined with plain OAuth. */
  readonly claims: Record<string, unknown> | undefined
}

interface RequestOptions {
  [oauth.customFetch]: (
    url: string,
    options: oauth.CustomFetchOptions<string, BodyInit | undefined>,
  ) => Promise<Response>
  [oauth.allowInsecureRequests]: boolean
}

/** The library checks addresses for https by itself, and knows of no exception for this machine. */
export function requestOptions({ provider, fetch }: Exchange, url: string | undefined): RequestOptions {
  if (url) requireCallable(url, provider)
  return {
    [oauth.customFetch]: (address, init) => fetch(address, init as RequestInit),
    [oauth.allowInsecureRequests]: true,
  }
}

/** Answers come from the application's `fetch` too, whose `Response` may be of another realm. */
const isResponse = (value: unknown): value is Response =>
  typeof value === "object" &&
  value !== null &&
  "status" in value &&
  "text" in value &&
  typeof value.text === "function"

async function requestByProvider(
  { provider, flow, redirectUri, query, fetch }: Exchange,
  request: NonNullable<EndpointHandler["request"]>,
): Promise<Response> {
  const checks = { code_verifier: flow?.verifier, state: flow?.state, nonce: flow?.nonce }
  const merged = { ...provider.view, clientSecret: await readSecret(provider.source) }
  const answer: unknown = await request({ params: query, checks, provider: merged, redirect_uri: redirectUri, fetch })
  if (isResponse(answer)) return answer
  return Response.json(isPlainObject(answer) ? (answer["tokens"] ?? answer) : answer)
}

/** Calls `token.request` of the provider, or the token endpoint (RFC 6749 §4.1.3). */
async function requestTokens(exchange: Exchange, params: URLSearchParams): Promise<Response> {
  const { as, provider, flow, redirectUri } = exchange
  if (provider.token.request) return requestByProvider(exchange, provider.token.request)
  const verifier = flow?.verifier ?? oauth.nopkce
  const options = requestOptions(exchange, as.token_endpoint)
  const { client, clientAuth } = provider
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    clientAuth,
    params,
    redirectUri,
    verifier,
    options,
  )
  return (await provider.token.conform?.(response.clone())) ?? response
}

/** An answer that was read already, for the library, which reads it once more: there is no second stream for that. */
class ReadAnswer extends Response {
  readonly #content: Record<string, unknown>

  constructor(content: Record<string, unknown>) {
    super(null)
    this.#content = content
  }

  // The library changes what it gets.
  override json = async (): Promise<Record<string, unknown>> => ({ ...this.#content })
}

/** An answer that is JSON, or what the server said instead. GitHub and others refuse with status 200. */
async function readAnswer(response: Response, as: oauth.AuthorizationServer): Promise<Record<string, unknown>> {
  const text = await response.text()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new Fault("provider-unreachable", `the token endpoint answered with status ${response.status} and no JSON`)
  }
  if (!isPlainObject(json))
    throw new Error(`the token endpoint answered with status ${response.status} and no JSON object`)
  if (typeof json["error"] === "string" && json["access_token"] === undefined)
    throw new TokenRefusal(json["error"], {
      status: response.status,
      description: json["error_description"],
      offersDpop: Array.isArray(as.dpop_signing_alg_values_supported),
    })
  if (response.status !== 200)
    throw new Fault("provider-unreachable", `the token endpoint answered with status ${response.status}`)
  return json
}

/** The token endpoint said no (RFC 6749 §5.2). */
export class TokenRefusal extends Error {
  override name = "TokenRefusal"
  readonly isOfTokens = true
  readonly description: unknown
  readonly offersDpop: boolean
  constructor(
    readonly code: string,
    {
      status,
      description,
      offersDpop,
    }: { readonly status: number; readonly description: unknown; readonly offersDpop: boolean },
  ) {
    const more = typeof description === "string" ? `: ${description}` : ""
    super(`the token endpoint answered "${code}" with status ${status}${more}`)
    this.description = description
    this.offersDpop = offersDpop
  }
}

/** Whole seconds, where the provider says them so that a time can be reckoned with: stores keep whole numbers. */
function lifeSeconds(expiresIn: unknown, nowSeconds: number): number | undefined {
  if (typeof expiresIn !== "number" && typeof expiresIn !== "string") return undefined
  const seconds = Math.floor(Number(expiresIn))
  return seconds > 0 && Number.isSafeInteger((nowSeconds + seconds) * 1000) ? seconds : undefined
}

function toTokenSet(
  json: Readonly<Record<string, unknown>>,
  access_token: string,
  nowMs: number,
): ExchangedTokens["tokens"] {
  const nowSeconds = Math.floor(nowMs / 1000)
  const expires_in = lifeSeconds(json["expires_in"], nowSeconds)
  const type = json["token_type"]
  return {
    ...json,
    access_token,
    ...(typeof type === "string" && { token_type: type.toLowerCase() as Lowercase<string> }),
    ...(expires_in !== undefined && { expires_in, expires_at: nowSeconds + expires_in }),
  }
}

/** With one issuer per tenant the token itself says which one it should be from. */
function expectedServer({ as, provider }: Exchange, idToken: unknown): oauth.AuthorizationServer {
  if (!provider.issuerOf || typeof idToken !== "string") return as
  const issuer = provider.issuerOf(peekClaims(idToken), as.issuer)
  if (!issuer) throw new Fault("issuer-mismatch", "the id_token is from a tenant that is not allowed")
  return { ...as, issuer }
}

/**
 * Exchanges the code and validates what comes back (RFC 6749 §5.1, OpenID Connect Core §3.1.3.7).
 *
 * @throws Error naming what does not hold
 */
export async function exchangeCode(exchange: Exchange, params: URLSearchParams): Promise<ExchangedTokens> {
  const response = await requestTokens(exchange, params)
  const json = await readAnswer(response, exchange.as)
  try {
    return await validateTokens(exchange, json)
  } catch (error) {
    throw withClocks(error, response, exchange.nowMs)
  }
}

async function validateTokens(exchange: Exchange, json: Record<string, unknown>): Promise<ExchangedTokens> {
  const { provider, flow, nowMs } = exchange
  if (provider.type === "oauth") {
    // Plain OAuth proves nothing by an id_token: a server may send one that no metadata here could check.
    const { id_token: _, ...answer } = json
    const plain = new ReadAnswer(answer)
    const { access_token } = await oauth.processAuthorizationCodeResponse(exchange.as, provider.client, plain)
    return { tokens: toTokenSet(json, access_token, nowMs), claims: undefined }
  }
  const as = expectedServer(exchange, json["id_token"])
  const result = await oauth.processAuthorizationCodeResponse(as, clientAt(provider, nowMs), new ReadAnswer(json), {
    expectedNonce: flow?.nonce ?? oauth.expectNoNonce,
    requireIdToken: true,
    ...(flow?.maxAge !== undefined && { maxAge: flow.maxAge }),
  })
  const { access_token, id_token = "" } = result
  await requireValidIdToken({ access_token, id_token }, { as, provider, nowMs })
  return { tokens: toTokenSet(json, access_token, nowMs), claims: { ...oauth.getValidatedIdTokenClaims(result) } }
}

/** The library reads the system's clock; a test's clock is told to it as a skew. */
export function clientAt(provider: ReadyOAuth, nowMs: number): oauth.Client {
  const skew = Math.round((nowMs - Date.now()) / 1000)
  return skew === 0 ? provider.client : { ...provider.client, [oauth.clockSkew]: skew }
}
