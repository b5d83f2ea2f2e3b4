/**
 * What many providers' own functions have in common: a call to the vendor's API, and parts of a profile as a user has
 * them.
 *
 * @module
 */

import { envPrefix } from "../env-name.js"
import { trimTrailingSlashes } from "../http/trim-slashes.js"
import { isPlainObject } from "../merge.js"
import type { Awaitable } from "../types.js"
import type { ClientSecret, EndpointHandler, ProviderContext } from "./provider.js"

/** What a call is made with, beyond what every call has. */
export interface VendorRequest {
  /** @default "GET", with a body "POST" */
  readonly method?: string
  /** Over the usual ones; an empty `authorization` is none, for a token that goes elsewhere. */
  readonly headers?: Readonly<Record<string, string>>
  /** Added to the address. */
  readonly query?: Readonly<Record<string, string>>
  /** The body, as a form. */
  readonly form?: Readonly<Record<string, string>>
  /** The body, as JSON. */
  readonly json?: object
}

/** As text, which any `fetch` that an application gives can send. */
function bodyOf({ form, json }: VendorRequest): { type: string; body: string } | undefined {
  if (form) return { type: "application/x-www-form-urlencoded", body: new URLSearchParams(form).toString() }
  return json && { type: "application/json", body: JSON.stringify(json) }
}

/** The address with parameters over its own. */
export function addressOf(url: string | URL, query: Readonly<Record<string, string>> = {}): URL {
  const address = new URL(url)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return address
}

/**
 * Asks a vendor's API as the signed-in person and reads the JSON that it answers, `P` as documented.
 *
 * @throws Error naming the vendor, the path and what is wrong; the query is left out, for tokens stand in some
 */
export async function askVendor<P>(
  vendor: string,
  url: string | URL,
  { tokens, fetch = globalThis.fetch }: Pick<ProviderContext, "tokens" | "fetch">,
  request: VendorRequest = {},
): Promise<P> {
  const address = addressOf(url, request.query)
  const sent = bodyOf(request)
  const { authorization, ...headers } = {
    accept: "application/json",
    authorization: `Bearer ${tokens.access_token}`,
    // Several refuse a call without one.
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
    throw new Error(`${vendor}: ${address.pathname} did not answer with a JSON object`)
  // As documented; profile() requires the one member that matters.
  return answer as P
}

/** What a provider's own functions know of the client; the secret may have to be asked for. */
export interface VendorContext extends ProviderContext {
  readonly provider: ProviderContext["provider"] & {
    readonly clientId?: string | undefined
    readonly clientSecret?: ClientSecret | undefined
  }
}

/**
 * A userinfo endpoint that is asked in a way of its own, or whose answer `A` is made into the profile `P`: what it says
 * of the address under a name of its own stands there as `email_verified` then.
 *
 * @param request what the call is made with, or a function that makes it of the context
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
    const made = typeof request === "function" ? await request(context) : request
    return toProfile(await askVendor<A>(vendor, context.provider.userinfo?.url ?? url, context, made))
  },
})

/** For `isEmailVerified`: the vendor writes the flag as text, always or now and then. Beside no address it proves none. */
export const saysVerified = (claims: { readonly email_verified?: unknown; readonly email?: unknown }): boolean =>
  (claims.email_verified === true || claims.email_verified === "true") && typeof claims.email === "string"

/** For `userinfoFrom`: the answer is the profile. */
export const asItIs = <P>(answer: P): P => answer

/** What a token endpoint answers, parsed. */
export type TokenAnswer = Readonly<Record<string, unknown>>

/** RFC 6749 §5.2, with a sentence for the operator. */
const isStandardRefusal = ({ error, error_description }: TokenAnswer): boolean =>
  typeof error === "string" && typeof error_description === "string"

/**
 * For `token.conform`: mends an answer that breaks RFC 6749 §5 by a function of what was parsed. What the function makes
 * nothing of stays as it was, and so does what is no JSON object or a refusal as the standard has it.
 *
 * @example
 * conform: conformBy((answer) => asBearer(answer) ?? refusal(answer["ECODE"], answer["err"]))
 */
export const conformBy =
  (mend: (answer: TokenAnswer) => TokenAnswer | undefined) =>
  async (response: Response): Promise<Response | undefined> => {
    const answer: unknown = await response.json().catch(() => undefined)
    if (!isPlainObject(answer) || isStandardRefusal(answer)) return undefined
    const mended = mend(answer)
    // A success is 200 and nothing else.
    return mended && Response.json(mended, { status: response.ok ? 200 : response.status })
  }

/** Tokens, of bearers unless their type is said; undefined when there are none. */
export const asBearer = (answer: TokenAnswer): TokenAnswer | undefined =>
  "access_token" in answer ? { token_type: "bearer", ...answer } : undefined

/** A refusal as RFC 6749 §5.2 has it, of the vendor's own code and sentence; undefined when there is no sentence. */
export const refusal = (code: unknown, message: unknown): TokenAnswer | undefined =>
  typeof message === "string"
    ? {
        error: firstText(typeof code === "number" ? String(code) : code, "invalid_request"),
        error_description: message,
      }
    : undefined

/** For `token.conform`: a token answer that leaves out its type, which RFC 6749 §5.1 demands, is of a bearer token. */
export const assumeBearer = conformBy(asBearer)

/**
 * What tells a person apart at the vendor, as text.
 *
 * @throws TypeError naming the vendor when there is none
 */
export function requireId(vendor: string, id: unknown): string {
  if ((typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint") || id === "" || id === 0)
    throw new TypeError(`${vendor}: the profile has no id`)
  return String(id)
}

/** The first of the values that is text and not empty. */
export const firstText = (...values: readonly unknown[]): string | null =>
  values.find((value): value is string => typeof value === "string" && value !== "") ?? null

/** First and last name, as far as they are there. */
export const fullName = (...parts: readonly unknown[]): string | null =>
  parts.filter((part) => typeof part === "string" && part !== "").join(" ") || null

/** What the application calls a provider: of two of one vendor each has an id, and with it variables. */
interface Named {
  readonly id?: string | undefined
}

/** The name of a variable under the id that the application gives a provider; what is no text is told of at the start. */
export const variableName = (usualId: string, name: string, { id = usualId }: Named): string =>
  `${envPrefix(String(id))}_${name}`

/**
 * A variable of a provider under the id that the application gives it, and no other, as the core reads those of every
 * provider; undefined when it is empty. For providers that make something of it, before the configuration is read.
 */
export const ownVariableOf = (usualId: string, name: string, options: Named): string | undefined =>
  process.env[variableName(usualId, name, options)] || undefined

/**
 * The same, else the variable of the usual id: for an issuer that has a default, which may let more people in than the
 * variable does, and for what all clients of one owner share.
 *
 * @example
 * variableOf("salesforce", "ISSUER", { id: "partners" }) // AUTH_PARTNERS_ISSUER, else AUTH_SALESFORCE_ISSUER
 */
export const variableOf = (usualId: string, name: string, options: Named): string | undefined =>
  ownVariableOf(usualId, name, options) ?? ownVariableOf(usualId, name, {})

/**
 * Address of a server of the application's own: the option, else `AUTH_<ID>_ISSUER`; no slash at its end. The variable
 * is read here because endpoints are made of it; undefined when it is missing, which the check of the configuration
 * reports.
 */
export function serverOf(
  usualId: string,
  options: Named & { readonly issuer?: string | undefined },
): string | undefined {
  return trimTrailingSlashes(options.issuer || ownVariableOf(usualId, "ISSUER", options) || "") || undefined
}
