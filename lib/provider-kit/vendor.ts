/**
 * Helpers for the functions of providers: they call the vendor's API, repair token responses, and read environment
 * variables.
 *
 * @module
 */

import type { Awaitable } from "../base/awaitable.js"
import { isPlainObject } from "../base/merge.js"
import { envPrefix, trimTrailingSlashes } from "../base/text.js"
import { firstText } from "./define.js"
import type { ClientSecret, EndpointHandler, ProviderContext } from "./provider.js"

/** Options of a call to the vendor's API. */
export interface VendorRequest {
  /** @default "GET", or "POST" with a body */
  readonly method?: string
  /**
   * Headers that override the defaults. An empty `authorization` removes that header, for a token that is sent in
   * another way.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Added to the query string. */
  readonly query?: Readonly<Record<string, string>>
  /** The body, sent as a form. */
  readonly form?: Readonly<Record<string, string>>
  /** The body, sent as JSON. */
  readonly json?: object
}

/** Encodes the body as a string, because a custom `fetch` may not support other types. */
function encodeBody({ form, json }: VendorRequest): { type: string; body: string } | undefined {
  if (form) return { type: "application/x-www-form-urlencoded", body: new URLSearchParams(form).toString() }
  return json && { type: "application/json", body: JSON.stringify(json) }
}

/** Returns the URL with these query parameters set. */
export function requestUrl(url: string | URL, query: Readonly<Record<string, string>> = {}): URL {
  const address = new URL(url)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return address
}

/**
 * Calls a vendor's API as the signed-in user and parses the JSON response; `P` is the documented type.
 *
 * @throws Error that names the vendor, the path of the URL and the problem. The query is omitted, because it may
 * contain a token
 */
export async function callVendorApi<P>(
  vendor: string,
  url: string | URL,
  { tokens, fetch = globalThis.fetch }: Pick<ProviderContext, "tokens" | "fetch">,
  request: VendorRequest = {},
): Promise<P> {
  const address = requestUrl(url, request.query)
  const requestBody = encodeBody(request)
  const { authorization, ...headers } = {
    accept: "application/json",
    authorization: `Bearer ${tokens.access_token}`,
    // Several vendors reject requests without a User-Agent.
    "user-agent": "latchkey",
    ...(requestBody && { "content-type": requestBody.type }),
    ...request.headers,
  }
  const response = await fetch(address, {
    method: request.method ?? (requestBody ? "POST" : "GET"),
    headers: { ...headers, ...(authorization && { authorization }) },
    ...(requestBody && { body: requestBody.body }),
  })
  if (!response.ok) throw new Error(`${vendor}: ${address.pathname} answered ${response.status}`)
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body !== "object" || body === null)
    throw new Error(`${vendor}: ${address.pathname} did not respond with a JSON object`)
  // The type is the documented one and is not checked. `profile` checks the id, the only required member.
  return body as P
}

/** The context of a provider's functions, with the client id and the client secret. */
export interface VendorContext extends ProviderContext {
  readonly provider: ProviderContext["provider"] & {
    readonly clientId?: string | undefined
    readonly clientSecret?: ClientSecret | undefined
  }
}

/**
 * Creates a userinfo endpoint that calls the vendor's API and converts the response, of type `R`, to the profile `P`,
 * for example to add `email_verified`.
 *
 * @param request the options of the call, or a function that derives them from the context
 * @example
 * userinfo: userinfoFrom("Discord", USER_URL, (user) => ({ ...user, email_verified: user.verified === true }))
 */
export const userinfoFrom = <P, R = P>(
  vendor: string,
  url: string,
  toProfile: (response: R) => P,
  request: VendorRequest | ((context: VendorContext) => Awaitable<VendorRequest>) = {},
): EndpointHandler => ({
  url,
  request: async (context: VendorContext) => {
    const options = typeof request === "function" ? await request(context) : request
    return toProfile(await callVendorApi<R>(vendor, context.provider.userinfo?.url ?? url, context, options))
  },
})

/**
 * A function for `isEmailVerified`, for a vendor that may return `email_verified` as a string. False if the profile has
 * no address.
 */
export const hasVerifiedEmail = (claims: { readonly email_verified?: unknown; readonly email?: unknown }): boolean =>
  (claims.email_verified === true || claims.email_verified === "true") && typeof claims.email === "string"

/** A `toProfile` function for `userinfoFrom`, if the response is the profile already. */
export const identity = <P>(response: P): P => response

interface GraphqlResponse<P> {
  readonly data?: Readonly<Record<string, P | undefined>> | null
  readonly errors?: readonly { readonly message?: string }[]
}

/**
 * Creates a `toProfile` function for `userinfoFrom` that returns a member of a GraphQL response. The function throws if
 * the member is missing, because GraphQL reports errors with status 200.
 */
export const fromGraphql =
  <P>(vendor: string, member: string) =>
  ({ data, errors }: GraphqlResponse<P>): P => {
    const found = data?.[member]
    if (!found) throw new Error(`${vendor}: ${errors?.[0]?.message ?? "the response has no user"}`)
    return found
  }

/** The parsed response of a token endpoint. */
export type TokenResponse = Readonly<Record<string, unknown>>

/** True for an error response of RFC 6749 §5.2 with a description, which needs no repair. */
const isStandardRefusal = ({ error, error_description }: TokenResponse): boolean =>
  typeof error === "string" && typeof error_description === "string"

/**
 * Creates a function for `token.conform` that repairs a response that violates RFC 6749 §5. The response stays
 * unchanged if it is not a JSON object, if it is an error with a description, or if `repair` returns undefined.
 *
 * @example
 * conform: repairTokenResponse((body) => withBearerType(body) ?? refusal(body["ECODE"], body["err"]))
 */
export const repairTokenResponse =
  (repair: (body: TokenResponse) => TokenResponse | undefined) =>
  async (response: Response): Promise<Response | undefined> => {
    const body: unknown = await response.json().catch(() => undefined)
    if (!isPlainObject(body) || isStandardRefusal(body)) return undefined
    const repaired = repair(body)
    // A successful token response must have status 200 (RFC 6749 §5.1).
    return repaired && Response.json(repaired, { status: response.ok ? 200 : response.status })
  }

/** Returns the token response with the default `token_type` "bearer"; undefined if there is no access token. */
export const withBearerType = (body: TokenResponse): TokenResponse | undefined =>
  "access_token" in body ? { token_type: "bearer", ...body } : undefined

/** Converts the vendor's error code and message to an error of RFC 6749 §5.2; undefined if there is no message. */
export const refusal = (code: unknown, message: unknown): TokenResponse | undefined =>
  typeof message === "string"
    ? {
        error: firstText(typeof code === "number" ? String(code) : code, "invalid_request"),
        error_description: message,
      }
    : undefined

/** A function for `token.conform`: adds a missing `token_type`, which RFC 6749 §5.1 requires. */
export const assumeBearer = repairTokenResponse(withBearerType)

/**
 * The option `id`. Two providers of one vendor need different ids, and therefore have different environment variables.
 */
interface WithId {
  readonly id?: string | undefined
}

/** Returns the name of an environment variable for the provider's id. An invalid id is reported at start-up. */
export const variableName = (defaultId: string, name: string, { id = defaultId }: WithId): string =>
  `${envPrefix(String(id))}_${name}`

/**
 * Reads the environment variable for the provider's id; undefined if it is empty or not set. The core reads the
 * variable too, but only after the factory has run, and some factories need the value.
 */
export const ownVariable = (defaultId: string, name: string, options: WithId): string | undefined =>
  process.env[variableName(defaultId, name, options)] || undefined

/**
 * Like `ownVariable`, but if that variable is not set, reads the variable for the default id. Used for a value that
 * several clients of one vendor can share, such as Apple's team id. Also used for an issuer: if the variable for the
 * default id were ignored, the built-in issuer would be used, which could accept more users.
 *
 * @example
 * providerVariable("salesforce", "ISSUER", { id: "partners" }) // AUTH_PARTNERS_ISSUER, else AUTH_SALESFORCE_ISSUER
 */
export const providerVariable = (defaultId: string, name: string, options: WithId): string | undefined =>
  ownVariable(defaultId, name, options) ?? ownVariable(defaultId, name, {})

/**
 * Returns the URL of a self-hosted server without trailing slashes: the option `issuer`, otherwise `AUTH_<ID>_ISSUER`.
 * The variable is read here because endpoints are derived from the URL. Returns undefined if both are missing, which
 * the configuration check reports.
 */
export function readServer(
  defaultId: string,
  options: WithId & { readonly issuer?: string | undefined },
): string | undefined {
  return trimTrailingSlashes(options.issuer || ownVariable(defaultId, "ISSUER", options) || "") || undefined
}
