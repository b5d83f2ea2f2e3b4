/**
 * Traces the provider's responses: names and times only, no secrets and no personal data.
 *
 * @module
 */

import { decodeProtectedHeader } from "jose/decode/protected_header"
import type { Identity } from "../../accounts/identity.js"
import type { AuthCall } from "../../http/call.js"
import type { SignInTrace } from "../../logging/trace.js"
import { type Flow, identifyFlow } from "./flow.js"
import type { ExchangedTokens } from "./token-request.js"

/** Traces the authorization response, and identifies its flow. */
export function traceReturn(received: AuthCall, { query, body, trace }: AuthCall, flow: Flow | undefined): void {
  if (!trace) return
  const { state } = { ...body, ...query }
  // A posted response is redirected to this site once, so the GET is the third request.
  const request = received.method === "GET" && "form_post" in received.query ? 3 : 2
  identifyFlow(trace, { ...flow, ...(typeof state === "string" && { state }) }, request)
  const names = ["code", "state", "iss", "error", "error_description"].filter((name) => name in query)
  if (received.method === "GET")
    trace.write(
      "oauth",
      `the authorization response has ${names.join(", ") || "no parameters"}; ${flow ? "this browser started the flow" : "this browser has no matching flow"}`,
    )
}

/** Wraps `fetch` to trace the URL, status and duration of each request. */
export function tracingFetch(fetch: typeof globalThis.fetch, trace: SignInTrace | undefined): typeof globalThis.fetch {
  if (!trace) return fetch
  return async (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : String(input))
    const startedAt = performance.now()
    const write = (outcome: string) =>
      trace.write(
        "oauth",
        `${init?.method ?? "GET"} ${origin}${pathname} ${outcome} after ${Math.round(performance.now() - startedAt)} ms`,
      )
    try {
      const response = await fetch(input, init)
      write(`answered ${response.status}`)
      return response
    } catch (error) {
      write("failed")
      throw error
    }
  }
}

const MAX_NAMES = 30

const listNames = (object: object): string => Object.keys(object).slice(0, MAX_NAMES).join(", ")

export function traceTokens({ tokens, claims }: ExchangedTokens, trace: SignInTrace | undefined, nowMs: number): void {
  if (!trace) return
  const expiry = tokens.expires_in === undefined ? "" : `; expires in ${tokens.expires_in} s`
  trace.write("oauth", `the token response has ${listNames(tokens)}${expiry}`)
  if (claims) trace.write("oauth", `the id_token is valid: ${idTokenText(tokens.id_token, claims, nowMs)}`)
}

/** Includes the difference of the clocks, so that a growing clock skew is visible before sign-ins fail. */
function idTokenText(idToken: string | undefined, claims: Readonly<Record<string, unknown>>, nowMs: number): string {
  const { alg } = decodeProtectedHeader(idToken ?? "")
  const seconds = Math.round(nowMs / 1000 - Number(claims["iat"]))
  const age = seconds < 0 ? `${-seconds} s ahead of our clock` : `${seconds} s ago`
  return `${alg} by ${claims["iss"]}, issued ${age}`
}

export function traceProfile({ profile = {}, isEmailVerified }: Identity, trace: SignInTrace | undefined): void {
  trace?.write(
    "oauth",
    `the profile has ${listNames(profile)}; the email address is ${isEmailVerified ? "" : "not "}verified by the provider`,
  )
}
