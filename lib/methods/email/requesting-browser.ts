/**
 * Recognises the browser that requested a link. It signs in by opening the link; any other client, such as a mail
 * scanner or another device, gets a confirmation page.
 *
 * @module
 */

import type { CookieChange } from "../../base/types.js"
import type { AuthCall } from "../../http/call.js"
import { openOrEmpty, seal } from "../../security/jwe.js"
import { isEqualText, randomHex, sha256Base64url } from "../../security/tokens.js"
import type { MethodRuntime } from "../method.js"
import type { Link, LinkParams } from "./link.js"
import type { ReadyEmail } from "./prepare.js"

const PURPOSE = "latchkey.mail"
/** The cookie of the browser that requested a link. A later request replaces it. */
const REQUESTED = "mail"
/** The cookie with the addresses that have signed in from this browser. */
const KNOWN = "known"
const KNOWN_MAX_AGE_SECONDS = 180 * 24 * 60 * 60
const MAX_KNOWN = 3
const HASH_LENGTH = 22

const fingerprint = (token: string, provider: ReadyEmail): string => sha256Base64url(`${provider.id}\n${token}`)

const hashAddress = (identifier: string): string => sha256Base64url(identifier).slice(0, HASH_LENGTH)

/** The contents of the cookie: hashes of the link and of the address. */
export interface Requested {
  readonly link: string
  readonly address: string
}

function put(part: string, claims: object, maxAgeSeconds: number, { keys, now }: MethodRuntime): CookieChange {
  const value = seal({ ...claims }, keys.for(PURPOSE), maxAgeSeconds, now())
  return { put: "state", part, value, expires: new Date(now() + maxAgeSeconds * 1000), maxAgeSeconds }
}

/** Returns the claims of one of these cookies, or an empty object. */
function read(part: string, call: AuthCall, runtime: MethodRuntime): Readonly<Record<string, unknown>> {
  return openOrEmpty(call.cookies[`${call.cookieSet.state.name}.${part}`], runtime.keys.for(PURPOSE), runtime.now())
}

/** Marks the browser as the one that requested this link. */
export function markBrowser({ token, stored }: Link, provider: ReadyEmail, runtime: MethodRuntime): CookieChange {
  const requested: Requested = { link: fingerprint(token, provider), address: hashAddress(stored.identifier) }
  return put(REQUESTED, requested, provider.maxAgeSeconds, runtime)
}

/** Sets the same cookie if no email was sent, so that the responses look alike. A mark for an earlier link is kept. */
export function renewBrowserMark(
  identifier: string,
  call: AuthCall,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): CookieChange {
  const requested: Requested = readRequested(call, runtime) ?? {
    link: fingerprint(randomHex(), provider),
    address: hashAddress(identifier),
  }
  return put(REQUESTED, requested, provider.maxAgeSeconds, runtime)
}

function readRequested(call: AuthCall, runtime: MethodRuntime): Requested | undefined {
  const { link, address = "" } = read(REQUESTED, call, runtime)
  return typeof link === "string" && typeof address === "string" ? { link, address } : undefined
}

function readKnown(call: AuthCall, runtime: MethodRuntime): string[] {
  const { addresses } = read(KNOWN, call, runtime)
  return Array.isArray(addresses) ? addresses.filter((item) => typeof item === "string") : []
}

/** True if this address has signed in from this browser with a link that the browser requested. */
export const isKnownBrowser = (identifier: string, call: AuthCall, runtime: MethodRuntime): boolean =>
  readKnown(call, runtime).includes(hashAddress(identifier))

/** Clears the mark and remembers the address: the browser has opened the link that it requested. */
export function rememberAddress({ address }: Requested, call: AuthCall, runtime: MethodRuntime): CookieChange[] {
  const forgetRequested: CookieChange = { drop: "state", part: REQUESTED }
  if (!address) return [forgetRequested]
  const others = readKnown(call, runtime).filter((known) => known !== address)
  const addresses = [address, ...others].slice(0, MAX_KNOWN)
  return [forgetRequested, put(KNOWN, { addresses }, KNOWN_MAX_AGE_SECONDS, runtime)]
}

/** Returns the request for a link if this browser made it. */
export function findRequest(
  call: AuthCall,
  { token }: LinkParams,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): Requested | undefined {
  const requested = readRequested(call, runtime)
  return requested && isEqualText(requested.link, fingerprint(token, provider)) ? requested : undefined
}

/** True if the browser loads the page in advance, without a decision of the user. */
export const isPrefetch = ({ headers }: AuthCall): boolean =>
  ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ""),
  )
