/**
 * Shared by the providers' functions: calls to the vendor's API, repairs of token responses, and environment variables.
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
  /** Override the defaults. An empty `authorization` removes the header, for a token that is sent elsewhere. */
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

/** The URL with these query parameters set. */
export function requestUrl(url: string | URL, query: Readonly<Record<string, string>> = {}): URL {
  const address = new URL(url)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return address
}

/**
 * Calls a vendor's API as the signed-in user and parses the JSON response; `P` is the documented type.
 *
 * @throws Error with the vendor, the path and the problem. The query is omitted, because some contain tokens
 */
export async function askVendor<P>(
  vendor: string,
  url: string | URL,
  { tokens, fetch = globalThis.fetch }: Pick<ProviderContext, "tokens" | "fetch">,
  request: VendorRequest = {},
): Promise<P> {
  const address = requestUrl(url, request.query)
  const sent = encodeBody(request)
  const { authorization, ...headers } = {
    accept: "application/json",
    authorization: `Bearer ${tokens.access_token}`,
    // Several vendors reject requests without one.
    "user-agent": "latchkey",
    ...(sent && { "content-type": sent.type }),
    ...request.headers,
  }
  const response = await fetch(address, {
    method: request.method ?? (sent ? "POST" : "GET"),
    headers: { ...headers, ...(authorization && { authorization }) },
    ...(sent && { body: sent.body }),
  })
  if (!response.ok) throw new Error(`${vendor}: ${address.pathname} answered ${response.status}`)
  const answer: unknown = await response.json().catch(() => undefined)
  if (typeof answer !== "object" || answer === null)
    throw new Error(`${vendor}: ${address.pathname} did not respond with a JSON object`)
  // Cast to the documented type; profile() checks the one required member.
  return answer as P
}

/** The client as a provider's functions see it. The secret can be a function. */
export interface VendorContext extends ProviderContext {
  readonly provider: ProviderContext["provider"] & {
    readonly clientId?: string | undefined
    readonly clientSecret?: ClientSecret | undefined
  }
}

/**
 * A userinfo endpoint with a custom request, or whose response `A` is converted to the profile `P`, for example to add
 * `email_verified`.
 *
 * @param request the options of the call, or a function that derives them from the context
 * @example
 * userinfo: userinfoFrom("Discord", USER_URL, (user) => ({ ...user, email_verified: user.verified === true }))
 */
export const userinfoFrom = <P, A = P>(
  vendor: string,
  url: string,
  toProfile: (answer: A) => P,
  request: VendorRequest | ((context: VendorContext) => Awaitable<VendorRequest>) = {},
): EndpointHandler => ({
  url,
  request: async (context: VendorContext) => {
    const options = typeof request === "function" ? await request(context) : request
    return toProfile(await askVendor<A>(vendor, context.provider.userinfo?.url ?? url, context, options))
  },
})

/**
 * For `isEmailVerified` of a vendor that may return `email_verified` as a string. False if the profile has no address.
 */
export const hasVerifiedEmail = (claims: { readonly email_verified?: unknown; readonly email?: unknown }): boolean =>
  (claims.email_verified === true || claims.email_verified === "true") && typeof claims.email === "string"

/** For `userinfoFrom`: the response is the profile. */
export const identity = <P>(answer: P): P => answer

interface GraphqlAnswer<P> {
  readonly data?: Readonly<Record<string, P | undefined>> | null
  readonly errors?: readonly { readonly message?: string }[]
}

/** For `userinfoFrom`: a member of a GraphQL response, which reports errors with status 200, too. */
export const fromGraphql =
  <P>(vendor: string, member: string) =>
  ({ data, errors }: GraphqlAnswer<P>): P => {
    const found = data?.[member]
    if (!found) throw new Error(`${vendor}: ${errors?.[0]?.message ?? "the response has no user"}`)
    return found
  }

/** The parsed response of a token endpoint. */
export type TokenResponse = Readonly<Record<string, unknown>>

/** RFC 6749 §5.2, with a description for the operator. */
const isStandardRefusal = ({ error, error_description }: TokenResponse): boolean =>
  typeof error === "string" && typeof error_description === "string"

/**
 * For `token.conform`: repairs a response that violates RFC 6749 §5. The response is unchanged if `repair` returns
 * undefined, if the response is not a JSON object, or if it is a standard error.
 *
 * @example
 * conform: repairTokenResponse((answer) => withBearerType(answer) ?? refusal(answer["ECODE"], answer["err"]))
 */
export const repairTokenResponse =
  (repair: (answer: TokenResponse) => TokenResponse | undefined) =>
  async (response: Response): Promise<Response | undefined> => {
    const answer: unknown = await response.json().catch(() => undefined)
    if (!isPlainObject(answer) || isStandardRefusal(answer)) return undefined
    const repaired = repair(answer)
    // Only status 200 is a success.
    return repaired && Response.json(repaired, { status: response.ok ? 200 : response.status })
  }

/** The tokens, with the default type bearer; undefined if there are none. */
export const withBearerType = (answer: TokenResponse): TokenResponse | undefined =>
  "access_token" in answer ? { token_type: "bearer", ...answer } : undefined

/** Converts the vendor's error code and message to an RFC 6749 §5.2 error; undefined if there is no message. */
export const refusal = (code: unknown, message: unknown): TokenResponse | undefined =>
  typeof message === "string"
    ? {
        error: firstText(typeof code === "number" ? String(code) : code, "invalid_request"),
        error_description: message,
      }
    : undefined

/** For `token.conform`: adds the bearer type to a token response without token_type, which RFC 6749 §5.1 requires. */
export const assumeBearer = repairTokenResponse(withBearerType)

/** The provider's id, if the application changes it. Two providers of one vendor need different ids and variables. */
interface Named {
  readonly id?: string | undefined
}

/** The name of an environment variable for the provider's id. An invalid id is reported at start-up. */
export const variableName = (defaultId: string, name: string, { id = defaultId }: Named): string =>
  `${envPrefix(String(id))}_${name}`

/**
 * Reads an environment variable of the provider's own id only, as the core does; undefined if it is empty. For
 * providers that need the value before the configuration is read.
 */
export const ownVariable = (defaultId: string, name: string, options: Named): string | undefined =>
  process.env[variableName(defaultId, name, options)] || undefined

/**
 * Like `ownVariable`, with a fallback to the variable of the default id. Used for an issuer whose default would accept
 * more users than the variable does, and for values that all clients of one owner share.
 *
 * @example
 * providerVariable("salesforce", "ISSUER", { id: "partners" }) // AUTH_PARTNERS_ISSUER, otherwise AUTH_SALESFORCE_ISSUER
 */
export const providerVariable = (defaultId: string, name: string, options: Named): string | undefined =>
  ownVariable(defaultId, name, options) ?? ownVariable(defaultId, name, {})

/**
 * The URL of a self-hosted server without trailing slash: the option, otherwise `AUTH_<ID>_ISSUER`. It is read here
 * because endpoints are derived from it. Undefined if it is missing, which the configuration check reports.
 */
export function readServer(
  defaultId: string,
  options: Named & { readonly issuer?: string | undefined },
): string | undefined {
  return trimTrailingSlashes(options.issuer || ownVariable(defaultId, "ISSUER", options) || "") || undefined
}
