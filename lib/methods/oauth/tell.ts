/**
 * What the story of a sign-in has of the provider's answers: names and times, and no value that is a person's or opens
 * anything.
 *
 * @module
 */
import { decodeProtectedHeader } from "jose/decode/protected_header"
import type { AuthCall } from "../../http/call.js"
import type { Story } from "../../story.js"
import type { Identity } from "../method.js"
import { type Flow, identifyFlow } from "./flow.js"
import type { ExchangedTokens } from "./token-request.js"

/** Which flow somebody comes back from, and with what. */
export function tellReturn(received: AuthCall, { query, body, story }: AuthCall, flow: Flow | undefined): void {
  if (!story) return
  const { state } = { ...body, ...query }
  // A posted answer takes one request more: it is sent on to ourselves.
  const request = received.method === "GET" && "form_post" in received.query ? 3 : 2
  identifyFlow(story, { ...flow, ...(typeof state === "string" && { state }) }, request)
  const brought = ["code", "state", "iss", "error", "error_description"].filter((name) => name in query)
  if (received.method === "GET")
    story.tell(
      "oauth",
      `the provider's answer has ${brought.join(", ") || "nothing"}; ${flow ? "this browser began the flow" : "no flow under way in this browser fits"}`,
    )
}

/** A `fetch` that tells of each call: where it went, what came back, and how long it took. */
export function tellingFetch(fetch: typeof globalThis.fetch, story: Story | undefined): typeof globalThis.fetch {
  if (!story) return fetch
  return async (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : String(input))
    const startedAt = performance.now()
    const tell = (outcome: string) =>
      story.tell(
        "oauth",
        `${init?.method ?? "GET"} ${origin}${pathname} ${outcome} after ${Math.round(performance.now() - startedAt)} ms`,
      )
    try {
      const response = await fetch(input, init)
      tell(`answered ${response.status}`)
      return response
    } catch (error) {
      tell("failed")
      throw error
    }
  }
}

const MAX_NAMES = 30

const namesOf = (object: object): string => Object.keys(object).slice(0, MAX_NAMES).join(", ")

export function tellTokens({ tokens, claims }: ExchangedTokens, story: Story | undefined, nowMs: number): void {
  if (!story) return
  const life = tokens.expires_in === undefined ? "" : `, good for ${tokens.expires_in} s`
  story.tell("oauth", `the token answer has ${namesOf(tokens)}${life}`)
  if (claims) story.tell("oauth", `the id_token holds: ${idTokenText(tokens.id_token, claims, nowMs)}`)
}

/** The difference of the clocks comes with each sign-in: one that grows is seen before it is too large. */
function idTokenText(idToken: string | undefined, claims: Readonly<Record<string, unknown>>, nowMs: number): string {
  const { alg } = decodeProtectedHeader(idToken ?? "")
  const seconds = Math.round(nowMs / 1000 - Number(claims["iat"]))
  const age = seconds < 0 ? `${-seconds} s ahead of our clock` : `${seconds} s ago`
  return `${alg} by ${claims["iss"]}, made ${age}`
}

export function tellProfile({ profile = {}, isEmailVerified }: Identity, story: Story | undefined): void {
  story?.tell(
    "oauth",
    `the profile has ${namesOf(profile)}; the provider ${isEmailVerified ? "says" : "does not say"} that the address is proved`,
  )
}
