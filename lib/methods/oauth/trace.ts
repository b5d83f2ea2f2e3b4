/**
 * Writes a provider's responses to the trace of a sign-in: names and times, but no secrets and no personal data.
 *
 * @module
 */

import { decodeProtectedHeader } from "jose/decode/protected_header"
import type { Identity } from "../../accounts/identity.js"
import type { AuthCall } from "../../http/call.js"
import type { SignInTrace } from "../../logging/trace.js"
import { type Flow, identifyFlow } from "./flow.js"
import type { ExchangedTokens } from "./token-request.js"

/** Writes the names of the response's parameters to the trace, and identifies the flow of the trace. */
export function traceAuthorizationResponse(
  received: AuthCall,
  { query, body, trace }: AuthCall,
  flow: Flow | undefined,
): void {
  if (!trace) return
  const { state } = { ...body, ...query }
  // Request 1 starts the flow, and request 2 is the callback. A POST of the callback is redirected to a GET, request 3.
  const request = received.method === "GET" && "form_post" in received.query ? 3 : 2
  identifyFlow(trace, { ...flow, ...(typeof state === "string" && { state }) }, request)
  const names = ["code", "state", "iss", "error", "error_description"].filter((name) => name in query)
  if (received.method === "GET")
    trace.write(
      "oauth",
      `the authorization response has ${names.join(", ") || "no parameters"}; ${flow ? "this browser started the flow" : "this browser has no matching flow"}`,
    )
}

/** Returns a `fetch` that writes the URL, the status and the duration of each request to the trace. */
export function tracingFetch(fetch: typeof globalThis.fetch, trace: SignInTrace | undefined): typeof globalThis.fetch {
  if (!trace) return fetch
  return async (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : String(input))
    const startedAt = performance.now()
    const writeLine = (outcome: string) =>
      trace.write(
        "oauth",
        `${init?.method ?? "GET"} ${origin}${pathname} ${outcome} after ${Math.round(performance.now() - startedAt)} ms`,
      )
    try {
      const response = await fetch(input, init)
      writeLine(`answered ${response.status}`)
      return response
    } catch (error) {
      writeLine("failed")
      throw error
    }
  }
}

/** The maximum number of member names in one line. */
const MAX_NAMES = 30

const listNames = (object: object): string => Object.keys(object).slice(0, MAX_NAMES).join(", ")

/** Writes the member names of the token response, its expiry, and the validity of the id_token to the trace. */
export function traceTokens({ tokens, claims }: ExchangedTokens, trace: SignInTrace | undefined, nowMs: number): void {
  if (!trace) return
  const expiry = tokens.expires_in === undefined ? "" : `; expires in ${tokens.expires_in} s`
  trace.write("oauth", `the token response has ${listNames(tokens)}${expiry}`)
  if (claims) trace.write("oauth", `the id_token is valid: ${describeIdToken(tokens.id_token, claims, nowMs)}`)
}

/** Describes an id_token. Its age shows a growing clock skew before sign-ins fail. */
function describeIdToken(
  idToken: string | undefined,
  claims: Readonly<Record<string, unknown>>,
  nowMs: number,
): string {
  const { alg } = decodeProtectedHeader(idToken ?? "")
  const seconds = Math.round(nowMs / 1000 - Number(claims["iat"]))
  const age = seconds < 0 ? `${-seconds} s ahead of our clock` : `${seconds} s ago`
  return `${alg} by ${claims["iss"]}, issued ${age}`
}

/** Writes the member names of the profile to the trace, and whether the address is verified. */
export function traceProfile({ profile = {}, isEmailVerified }: Identity, trace: SignInTrace | undefined): void {
  trace?.write(
    "oauth",
    `the profile has ${listNames(profile)}; the email address is ${isEmailVerified ? "" : "not "}verified by the provider`,
  )
}
