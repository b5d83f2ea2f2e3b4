/**
 * Recognises the browser that requested a link. In this browser, the user signs in by opening the link, or with the
 * code in the same email. Any other client, such as a mail scanner or another device, gets a confirmation page.
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
/** The name suffix of the cookie with this browser's latest request for a link. */
const REQUEST_COOKIE = "mail"
/** The name suffix of the cookie with the hashed addresses that have signed in from this browser. */
const KNOWN_COOKIE = "known"
const KNOWN_COOKIE_MAX_AGE_SECONDS = 180 * 24 * 60 * 60
const MAX_ADDRESSES = 3
const ADDRESS_HASH_LENGTH = 22

/** Returns a hash of a link's token. The hash identifies the link. */
export const fingerprint = (token: string, provider: ReadyEmail): string => sha256Base64url(`${provider.id}\n${token}`)

const hashAddress = (identifier: string): string => sha256Base64url(identifier).slice(0, ADDRESS_HASH_LENGTH)

/** A request for a link, as the cookie contains it. */
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
  /** When the email was sent, or would have been sent, in milliseconds since 1970. */
  readonly sentAt: number
  /** Undefined if the provider sends no code. */
  readonly code?: {
    /** The code without its hyphen. */
    readonly text: string
    /** The hash under which the link is stored. A correct code consumes the link with this hash. */
    readonly hash: string
    /** When the code expires, in milliseconds since 1970. */
    readonly expires: number
  }
}

function sealCookie(part: string, claims: object, maxAgeSeconds: number, { keys, now }: MethodRuntime): CookieChange {
  const value = seal({ ...claims }, keys.for(PURPOSE), maxAgeSeconds, now())
  return { put: "state", part, value, expires: new Date(now() + maxAgeSeconds * 1000), maxAgeSeconds }
}

/** Decrypts the cookie with this name suffix. Empty if the cookie is missing, invalid or expired. */
function openCookie(part: string, call: AuthCall, runtime: MethodRuntime): Readonly<Record<string, unknown>> {
  return openOrEmpty(call.cookies[`${call.cookieSet.state.name}.${part}`], runtime.keys.for(PURPOSE), runtime.now())
}

function createLinkRequest(
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

/** Returns the cookie that marks the browser as the requester of this link. */
export function createRequestCookie(
  link: Link,
  call: AuthCall,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): CookieChange {
  return sealCookie(REQUEST_COOKIE, createLinkRequest(link, call, provider, runtime), provider.maxAgeSeconds, runtime)
}

/** Returns the cookie for a link that was not sent. It is as long as for a sent link, so that both look the same. */
export const createDecoyCookie = (
  identifier: string,
  call: AuthCall,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): CookieChange => createRequestCookie(createDecoy(identifier, provider, runtime), call, provider, runtime)

/** The minimum time between two emails to the same address that one browser requests. */
const RESEND_INTERVAL_MS = 30_000

/** True if the email of a request may still be on its way. In this case, no further email is sent. */
export function isJustSent({ sentAt }: LinkRequest, { now }: Pick<MethodRuntime, "now">): boolean {
  const age = now() - sentAt
  // The clock may have been set back.
  return age >= 0 && age < RESEND_INTERVAL_MS
}

/** Returns this browser's latest request, if it was for the same address and provider. */
export function findEarlierRequest(
  identifier: string,
  call: AuthCall,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): LinkRequest | undefined {
  const earlier = readLinkRequest(call, runtime)
  return earlier?.identifier === identifier && earlier.provider === provider.id ? earlier : undefined
}

/**
 * Returns the cookie of an earlier request for the same address, with the new return URL and the new choices. The
 * earlier link and its code stay valid. The cookie of a decoy is kept too. A new decoy would reset the tries and the
 * expiry of its code. Those of a sent code do not change, so the reset would reveal that no email was sent. Without an
 * earlier request, returns the cookie of a new decoy.
 */
export function keepRequestCookie(
  identifier: string,
  call: AuthCall,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): CookieChange {
  const earlier = findEarlierRequest(identifier, call, provider, runtime)
  if (!earlier) return createDecoyCookie(identifier, call, provider, runtime)
  const { callbackUrl, remember, isReauthentication } = call
  return sealCookie(
    REQUEST_COOKIE,
    { ...earlier, callbackUrl, remember, isReauthentication },
    provider.maxAgeSeconds,
    runtime,
  )
}

/** Returns this browser's latest request for a link. */
export function readLinkRequest(call: AuthCall, runtime: MethodRuntime): LinkRequest | undefined {
  const claims = openCookie(REQUEST_COOKIE, call, runtime)
  // The cast is safe: only this module seals for this purpose, and only a request has an identifier.
  return typeof claims["identifier"] === "string" ? (claims as unknown as LinkRequest) : undefined
}

function readKnownAddresses(call: AuthCall, runtime: MethodRuntime): string[] {
  const { addresses } = openCookie(KNOWN_COOKIE, call, runtime)
  return Array.isArray(addresses) ? addresses.filter((item) => typeof item === "string") : []
}

/** True if this address has signed in from this browser, with a link or code that this browser requested. */
export const isKnownBrowser = (identifier: string, call: AuthCall, runtime: MethodRuntime): boolean =>
  readKnownAddresses(call, runtime).includes(hashAddress(identifier))

/** Returns the changes that remember the address of a request in a cookie, and that clear the request's own cookie. */
export function rememberAddress({ identifier }: LinkRequest, call: AuthCall, runtime: MethodRuntime): CookieChange[] {
  const address = hashAddress(identifier)
  const others = readKnownAddresses(call, runtime).filter((known) => known !== address)
  const addresses = [address, ...others].slice(0, MAX_ADDRESSES)
  return [
    { drop: "state", part: REQUEST_COOKIE },
    sealCookie(KNOWN_COOKIE, { addresses }, KNOWN_COOKIE_MAX_AGE_SECONDS, runtime),
  ]
}

/** Returns the request for this link; undefined if this browser did not make it. */
export function findLinkRequest(
  call: AuthCall,
  { token }: LinkParams,
  provider: ReadyEmail,
  runtime: MethodRuntime,
): LinkRequest | undefined {
  const request = readLinkRequest(call, runtime)
  return request && isEqualText(request.link, fingerprint(token, provider)) ? request : undefined
}

/** True if the browser loads the page in advance, without a decision of the user. */
export const isPrefetch = ({ headers }: AuthCall): boolean =>
  ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ""),
  )
