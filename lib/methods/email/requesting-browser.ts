/**
 * Recognises the browser that requested a link. It signs in by opening the link, or by the code in the same email. Any
 * other client, such as a mail scanner or another device, gets a confirmation page.
 *
 * @module
 */

import type { CookieChange } from "../../base/types.js"
import type { AuthCall } from "../../http/call.js"
import { openOrEmpty, seal } from "../../security/jwe.js"
import { isEqualText, sha256Base64url } from "../../security/tokens.js"
import type { MethodRuntime } from "../method.js"
import { CODE_MAX_AGE_SECONDS } from "./code.js"
import { createDecoy, type Link, type LinkParams } from "./link.js"
import type { ReadyEmail } from "./prepare.js"

const PURPOSE = "latchkey.mail"
/** The cookie of the browser that requested a link. A later request replaces it. */
const REQUESTED = "mail"
/** The cookie with the addresses that have signed in from this browser. */
const KNOWN = "known"
const KNOWN_MAX_AGE_SECONDS = 180 * 24 * 60 * 60
const MAX_KNOWN = 3
const HASH_LENGTH = 22

/** Identifies a link by a hash of its token. */
export const fingerprint = (token: string, provider: ReadyEmail): string => sha256Base64url(`${provider.id}\n${token}`)

const hashAddress = (identifier: string): string => sha256Base64url(identifier).slice(0, HASH_LENGTH)

/** The contents of the cookie: a request for a link. */
export interface LinkRequest {
  /** The provider's id. */
  readonly provider: string
  /** The fingerprint of the link. */
  readonly link: string
  /** The normalised address. */
  readonly identifier: string
  readonly callbackUrl: string
  readonly remember: boolean
  readonly isReauthentication: boolean
  /** When the email was sent, or would have been, in milliseconds. */
  readonly sentAt: number
  /** Undefined if the provider sends no code. */
  readonly code?: {
    /** Without the hyphen. */
    readonly text: string
    /** The stored hash of the link's token, which the code consumes. */
    readonly hash: string
    /** When the code expires, in milliseconds. */
    readonly expires: number
  }
}

function put(part: string, claims: object, maxAgeSeconds: number, { keys, now }: MethodRuntime): CookieChange {
  const value = seal({ ...claims }, keys.for(PURPOSE), maxAgeSeconds, now())
  return { put: "state", part, value, expires: new Date(now() + maxAgeSeconds * 1000), maxAgeSeconds }
}

/** Returns the claims of one of these cookies, or an empty object. */
function read(part: string, call: AuthCall, runtime: MethodRuntime): Readonly<Record<string, unknown>> {
  return openOrEmpty(call.cookies[`${call.cookieSet.state.name}.${part}`], runtime.keys.for(PURPOSE), runtime.now())
}

function toRequest(
  { token, stored, code }: Link,
  call: AuthCall,
  provider: ReadyEmail,
  { now }: MethodRuntime,
): LinkRequest {
  const sentAt = now()
  const expires = sentAt + CODE_MAX_AGE_SECONDS * 1000
  return {
    provider: provider.id,
    link: fingerprint(token, provider),
    identifier: stored.identifier,
    callbackUrl: call.callbackUrl,
    remember: call.remember,
    isReauthentication: call.isReauthentication,
    sentAt,
    ...(code !== undefined && { code: { text: code, hash: stored.token, expires } }),
  }
}

/** Marks the browser as the one that requested this link. */
export function markBrowser(link: Link, call: AuthCall, provider: ReadyEmail, runtime: MethodRuntime): CookieChange {
  return put(REQUESTED, toRequest(link, call, provider, runtime), provider.maxAgeSeconds, runtime)
}

/** Marks the browser with a link that was not sent. The cookie has the same length, so that the responses look alike. */
export const markWithDecoy = (
  identifier: string,
  call: AuthCall,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): CookieChange => markBrowser(createDecoy(identifier, provider, runtime), call, provider, runtime)

/** How long this browser can't request another email to the same address. */
const RESEND_INTERVAL_MS = 30_000

/** True if the email of a request may still be on its way, so that no other one is sent. */
export function isJustSent({ sentAt }: LinkRequest, { now }: Pick<MethodRuntime, "now">): boolean {
  const age = now() - sentAt
  // The clock may have been set back.
  return age >= 0 && age < RESEND_INTERVAL_MS
}

/** The earlier request of this browser for the same address. */
export function findEarlier(
  identifier: string,
  call: AuthCall,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): LinkRequest | undefined {
  const earlier = readRequest(call, runtime)
  return earlier?.identifier === identifier && earlier.provider === provider.id ? earlier : undefined
}

/**
 * Keeps the mark of an earlier request for the same address, with the new return URL: its link and its code stay valid.
 * A decoy is kept too, so that tries and times do not reveal whether an email was sent.
 */
export function keepMark(
  identifier: string,
  call: AuthCall,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): CookieChange {
  const earlier = findEarlier(identifier, call, provider, runtime)
  if (!earlier) return markWithDecoy(identifier, call, provider, runtime)
  const { callbackUrl, remember, isReauthentication } = call
  return put(REQUESTED, { ...earlier, callbackUrl, remember, isReauthentication }, provider.maxAgeSeconds, runtime)
}

/** Returns the latest request for a link that this browser made. */
export function readRequest(call: AuthCall, runtime: MethodRuntime): LinkRequest | undefined {
  const claims = read(REQUESTED, call, runtime)
  // Only this module seals for this purpose, and only a request has an identifier.
  return typeof claims["identifier"] === "string" ? (claims as unknown as LinkRequest) : undefined
}

function readKnown(call: AuthCall, runtime: MethodRuntime): string[] {
  const { addresses } = read(KNOWN, call, runtime)
  return Array.isArray(addresses) ? addresses.filter((item) => typeof item === "string") : []
}

/** True if this address has signed in from this browser with a link that the browser requested. */
export const isKnownBrowser = (identifier: string, call: AuthCall, runtime: MethodRuntime): boolean =>
  readKnown(call, runtime).includes(hashAddress(identifier))

/** Clears the mark and remembers the address: the browser has used the link or the code that it requested. */
export function rememberAddress({ identifier }: LinkRequest, call: AuthCall, runtime: MethodRuntime): CookieChange[] {
  const address = hashAddress(identifier)
  const others = readKnown(call, runtime).filter((known) => known !== address)
  const addresses = [address, ...others].slice(0, MAX_KNOWN)
  return [{ drop: "state", part: REQUESTED }, put(KNOWN, { addresses }, KNOWN_MAX_AGE_SECONDS, runtime)]
}

/** Returns the request for a link if this browser made it. */
export function findRequest(
  call: AuthCall,
  { token }: LinkParams,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): LinkRequest | undefined {
  const request = readRequest(call, runtime)
  return request && isEqualText(request.link, fingerprint(token, provider)) ? request : undefined
}

/** True if the browser loads the page in advance, without a decision of the user. */
export const isPrefetch = ({ headers }: AuthCall): boolean =>
  ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ""),
  )
