/**
 * What many providers' own functions have in common: a call to the vendor's API, and parts of a profile as a user has
 * them.
 *
 * @module
 */
import { envPrefix } from "../env-name.js"
import type { EndpointHandler, ProviderContext } from "./provider.js"

/**
 * Asks a vendor's API as the signed-in person and reads the JSON that it answers, `P` as documented.
 *
 * @param init headers over the usual ones, `method` and `body`
 * @throws Error naming the vendor, the path and the status
 */
export async function askVendor<P>(
  vendor: string,
  url: string | URL,
  { tokens, fetch = globalThis.fetch }: Pick<ProviderContext, "tokens" | "fetch">,
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<P> {
  const headers = {
    accept: "application/json",
    authorization: `Bearer ${tokens.access_token}`,
    // Several refuse a call without one.
    "user-agent": "latchkey",
    ...init.headers,
  }
  const response = await fetch(url, { ...init, headers })
  if (!response.ok) throw new Error(`${vendor}: ${new URL(url).pathname} answered ${response.status}`)
  // As documented; profile() requires the one member that matters.
  return (await response.json()) as P
}

/**
 * A userinfo endpoint whose answer is made into the profile: what it says under a name of its own stands there as
 * `email_verified` then.
 *
 * @example
 * userinfo: userinfoFrom("Discord", USER_URL, (user) => ({ ...user, email_verified: user.verified === true }))
 */
export const userinfoFrom = <P>(
  vendor: string,
  url: string,
  toProfile: (answer: P) => P,
  headers: Record<string, string> = {},
): EndpointHandler => ({
  url,
  request: async (context: ProviderContext) =>
    toProfile(await askVendor<P>(vendor, context.provider.userinfo?.url ?? url, context, { headers })),
})

/** For `token.conform`: a token answer that leaves out its type, which RFC 6749 §5.1 demands, is of a bearer token. */
export async function assumeBearer(response: Response): Promise<Response | undefined> {
  const answer: unknown = await response.json().catch(() => undefined)
  if (typeof answer !== "object" || answer === null || !("access_token" in answer)) return undefined
  const { status } = response
  return Response.json({ token_type: "bearer", ...answer }, { status })
}

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

/**
 * Address of a server of the application's own: the option, else `AUTH_<ID>_ISSUER`; no slash at its end. The variable
 * is read here because endpoints are made of it; undefined when it is missing, which the check of the configuration
 * reports.
 */
export function serverOf(id: string, issuer: string | undefined): string | undefined {
  return (issuer || process.env[`${envPrefix(id)}_ISSUER`])?.replace(/\/+$/, "") || undefined
}
