import * as oauth from "oauth4webapi"
import { isPlainObject } from "../../base/merge.js"
import type { TokenSet } from "../../base/types.js"
import { CodedError } from "../../errors/error-codes.js"
import type { EndpointHandler } from "../../provider-kit/provider.js"
import { readSecret } from "./client-auth.js"
import { explainClockSkew } from "./clock-skew.js"
import { requireDpopToken, sendWithNonce } from "./dpop.js"
import type { Flow } from "./flow.js"
import { peekClaims, requireValidIdToken } from "./id-token.js"
import { type ReadyOAuth, requireSecureUrl } from "./prepare.js"
import { EndpointRefusal } from "./provider-errors.js"
import { rejectEncryptedIdToken } from "./requirements.js"

/** The data of one code exchange. */
export interface Exchange {
  readonly as: oauth.AuthorizationServer
  readonly provider: ReadyOAuth
  readonly flow: Flow | undefined
  readonly redirectUri: string
  readonly query: Readonly<Record<string, string>>
  readonly fetch: typeof fetch
  readonly nowMs: number
  /** Signs the DPoP proofs of this sign-in; undefined without DPoP. */
  readonly dpop?: oauth.DPoPHandle | undefined
}

/** Returns the scopes that the sign-in has requested. */
export const requestedScope = ({ flow, provider }: Pick<Exchange, "flow" | "provider">): string | undefined =>
  flow?.scope ?? provider.authorizationParams["scope"]

/** The validated result of a code exchange. */
export interface ExchangedTokens {
  readonly tokens: TokenSet & { access_token: string }
  /** The claims of the validated id_token; undefined with plain OAuth. */
  readonly claims: Record<string, unknown> | undefined
}

interface RequestOptions {
  [oauth.customFetch]: (
    url: string,
    options: oauth.CustomFetchOptions<string, BodyInit | undefined>,
  ) => Promise<Response>
  [oauth.allowInsecureRequests]: boolean
  DPoP?: oauth.DPoPHandle
}

/**
 * Checks the URL of an endpoint and returns the options for a request of `oauth4webapi`. The library's own https check
 * is off, because it does not allow loopback addresses.
 *
 * @throws CodedError if the URL is not secure
 */
export function requestOptions(
  { provider, fetch, dpop }: Pick<Exchange, "provider" | "fetch" | "dpop">,
  url: string | undefined,
): RequestOptions {
  if (url) requireSecureUrl(url, provider)
  return {
    [oauth.customFetch]: (address, init) => fetch(address, init as RequestInit),
    [oauth.allowInsecureRequests]: true,
    ...(dpop && { DPoP: dpop }),
  }
}

/** Returns the parameters that limit a token to the configured APIs (RFC 8707 §2.2). */
export const resourceParams = ({ resources }: ReadyOAuth): string[][] => resources.map((uri) => ["resource", uri])

/**
 * True for an object with the members of a `Response`. `instanceof` would reject a `Response` of another realm or
 * package, which the application's `fetch` may return.
 */
const isResponse = (value: unknown): value is Response =>
  typeof value === "object" &&
  value !== null &&
  "status" in value &&
  "text" in value &&
  typeof value.text === "function"

/**
 * Returns the argument `provider` of `token.request` and `token.refresh`, with the current client secret and the URL of
 * the token endpoint, which may be discovered.
 */
export const readProviderArgument = async ({ as, provider }: Pick<Exchange, "as" | "provider">) => ({
  ...provider.providerArgument,
  clientSecret: await readSecret(provider.source),
  token: { ...provider.token, ...(as.token_endpoint && { url: new URL(as.token_endpoint) }) },
})

/** Calls `token.request` and converts the result to a `Response`. */
async function callTokenRequest(
  exchange: Exchange,
  request: NonNullable<EndpointHandler["request"]>,
): Promise<Response> {
  const { flow, redirectUri, query, fetch } = exchange
  const checks = { code_verifier: flow?.verifier, state: flow?.state, nonce: flow?.nonce }
  const providerArgument = await readProviderArgument(exchange)
  const result: unknown = await request({
    params: query,
    checks,
    provider: providerArgument,
    redirect_uri: redirectUri,
    fetch,
  })
  if (isResponse(result)) return result
  return Response.json(isPlainObject(result) ? (result["tokens"] ?? result) : result)
}

/** Requests tokens from the token endpoint (RFC 6749 §4.1.3), or with the provider's `token.request`. */
async function requestTokens(exchange: Exchange, params: URLSearchParams): Promise<Response> {
  const { as, provider, flow, redirectUri, dpop } = exchange
  const options = { ...requestOptions(exchange, as.token_endpoint), additionalParameters: resourceParams(provider) }
  if (provider.token.request) return callTokenRequest(exchange, provider.token.request)
  const verifier = flow?.verifier ?? oauth.nopkce
  const { client, clientAuth } = provider
  const response = await sendWithNonce(dpop, () =>
    oauth.authorizationCodeGrantRequest(as, client, clientAuth, params, redirectUri, verifier, options),
  )
  return (await provider.token.conform?.(response.clone())) ?? response
}

/** A response for `oauth4webapi` whose body is already parsed, because the body of a response can be read only once. */
export class ParsedResponse extends Response {
  readonly #content: Record<string, unknown>

  constructor(content: Record<string, unknown>) {
    super(null)
    this.#content = content
  }

  // A copy, because the library modifies the object.
  override json = async (): Promise<Record<string, unknown>> => ({ ...this.#content })
}

/**
 * Parses a token response. GitHub and others send error responses with status 200.
 *
 * @throws TokenRefusal for an error response; Error for any other invalid response
 */
export async function parseTokenResponse(
  response: Response,
  { as, dpop }: Pick<Exchange, "as" | "dpop">,
): Promise<Record<string, unknown>> {
  const text = await response.text()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new CodedError(
      "provider-unreachable",
      `the token endpoint answered with status ${response.status} and no JSON`,
    )
  }
  if (!isPlainObject(json))
    throw new Error(`the token endpoint answered with status ${response.status} and no JSON object`)
  if (typeof json["error"] === "string" && json["access_token"] === undefined)
    throw new TokenRefusal(json["error"], {
      status: response.status,
      description: json["error_description"],
      offersDpop: Array.isArray(as.dpop_signing_alg_values_supported),
      usesDpop: dpop !== undefined,
    })
  if (response.status !== 200)
    throw new CodedError("provider-unreachable", `the token endpoint answered with status ${response.status}`)
  requireDpopToken(json["token_type"], dpop)
  return json
}

/** An error response of the token endpoint. */
export class TokenRefusal extends EndpointRefusal {
  override name = "TokenRefusal"
  readonly isFromTokenEndpoint = true
  readonly offersDpop: boolean
  readonly usesDpop: boolean
  constructor(
    code: string,
    {
      offersDpop,
      usesDpop,
      ...response
    }: Pick<TokenRefusal, "description" | "offersDpop" | "usesDpop"> & { status: number },
  ) {
    super(code, { endpoint: "token endpoint", ...response })
    this.offersDpop = offersDpop
    this.usesDpop = usesDpop
  }
}

/** Parses `expires_in`. Returns whole seconds, because adapters store integers; undefined if the value is invalid. */
function parseExpiresIn(expiresIn: unknown, nowSeconds: number): number | undefined {
  if (typeof expiresIn !== "number" && typeof expiresIn !== "string") return undefined
  const seconds = Math.floor(Number(expiresIn))
  return seconds > 0 && Number.isSafeInteger((nowSeconds + seconds) * 1000) ? seconds : undefined
}

/** Returns the members of a token response, with a normalised `token_type` and the expiry. */
export function toTokenSet(
  json: Readonly<Record<string, unknown>>,
  access_token: string,
  nowMs: number,
): ExchangedTokens["tokens"] {
  const nowSeconds = Math.floor(nowMs / 1000)
  const expires_in = parseExpiresIn(json["expires_in"], nowSeconds)
  const type = json["token_type"]
  return {
    ...json,
    access_token,
    ...(typeof type === "string" && { token_type: type.toLowerCase() as Lowercase<string> }),
    ...(expires_in !== undefined && { expires_in, expires_at: nowSeconds + expires_in }),
  }
}

/**
 * Returns the metadata with the issuer that a token must have. For a provider with one issuer per tenant, the issuer
 * depends on the token's claims.
 *
 * @throws CodedError if the tenant is not allowed
 */
export function withExpectedIssuer(
  { as, provider }: Pick<Exchange, "as" | "provider">,
  token: unknown,
): oauth.AuthorizationServer {
  if (!provider.issuerOf || typeof token !== "string") return as
  const issuer = provider.issuerOf(peekClaims(token), as.issuer)
  if (!issuer) throw new CodedError("issuer-mismatch", "the token is from a tenant that is not allowed")
  return { ...as, issuer }
}

/**
 * Exchanges the code and validates the response (RFC 6749 §5.1, OpenID Connect Core §3.1.3.7).
 *
 * @throws Error that names the failed check
 */
export async function exchangeCode(exchange: Exchange, params: URLSearchParams): Promise<ExchangedTokens> {
  const response = await requestTokens(exchange, params)
  const json = await parseTokenResponse(response, exchange)
  try {
    return await validateTokens(exchange, json)
  } catch (error) {
    throw explainClockSkew(error, response, exchange.nowMs)
  }
}

async function validateTokens(exchange: Exchange, json: Record<string, unknown>): Promise<ExchangedTokens> {
  const { provider, flow, nowMs } = exchange
  if (!provider.usesIdToken) {
    // Plain OAuth does not use the id_token. The library gets a response without it, because the library would validate
    // it with the metadata of an issuer, which plain OAuth may not have.
    const { id_token: _, ...rest } = json
    const response = new ParsedResponse(rest)
    const { access_token } = await oauth.processAuthorizationCodeResponse(exchange.as, provider.client, response)
    return { tokens: toTokenSet(json, access_token, nowMs), claims: undefined }
  }
  rejectEncryptedIdToken(json["id_token"])
  const as = withExpectedIssuer(exchange, json["id_token"])
  const result = await oauth.processAuthorizationCodeResponse(
    as,
    clientWithClock(provider, nowMs),
    new ParsedResponse(json),
    {
      expectedNonce: flow?.nonce ?? oauth.expectNoNonce,
      requireIdToken: true,
      ...(flow?.maxAge !== undefined && { maxAge: flow.maxAge }),
    },
  )
  const { access_token, id_token = "" } = result
  const claims = { ...oauth.getValidatedIdTokenClaims(result) }
  await requireValidIdToken({ access_token, id_token, claims }, { as, provider, nowMs })
  return { tokens: toTokenSet(json, access_token, nowMs), claims }
}

/**
 * Returns the client for a validation at `nowMs`, the time of the option `clock`. `oauth4webapi` reads the system
 * clock, so the difference between the two clocks is passed as `clockSkew`.
 */
export function clientWithClock(provider: ReadyOAuth, nowMs: number): oauth.Client {
  const skew = Math.round((nowMs - Date.now()) / 1000)
  return skew === 0 ? provider.client : { ...provider.client, [oauth.clockSkew]: skew }
}
