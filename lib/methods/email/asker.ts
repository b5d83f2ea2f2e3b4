/**
 * The browser that asked for a link: it alone signs in by opening it. A forwarded link, a mail scanner or another
 * device is asked first.
 *
 * @module
 */
import type { AuthCall } from "../../http/call.js"
import type { CookieChange } from "../../http/cookies.js"
import type { Runtime } from "../../runtime.js"
import { open, seal } from "../../security/jwe.js"
import { isEqualText, randomHex, sha256Base64url } from "../../security/tokens.js"
import type { Link } from "./link.js"
import type { ReadyEmail } from "./prepare.js"

/** Values that are sealed for this purpose open for no other. */
const PURPOSE = "latchkey.mail"
/** The cookie of the browser that requested a link. The latest request replaces the one before. */
const REQUESTED = "mail"
/** The cookie with the addresses that have signed in from this browser. */
const KNOWN = "known"
const KNOWN_MAX_AGE_SECONDS = 180 * 24 * 60 * 60
const MAX_KNOWN = 3
const HASH_LENGTH = 22

const markOf = (token: string, provider: ReadyEmail): string => sha256Base64url(`${provider.id}\n${token}`)

const hashAddress = (identifier: string): string => sha256Base64url(identifier).slice(0, HASH_LENGTH)

/** What a browser that requested a link keeps of it. */
interface Requested {
  readonly link: string
  readonly address: string
}

function put(part: string, claims: object, maxAgeSeconds: number, { keys, now }: Runtime): CookieChange {
  const value = seal({ ...claims }, keys.for(PURPOSE), maxAgeSeconds, now())
  return { put: "state", part, value, expires: new Date(now() + maxAgeSeconds * 1000), maxAgeSeconds }
}

/** Our own claims in one of these cookies. */
function read(part: string, call: AuthCall, runtime: Runtime): Readonly<Record<string, unknown>> {
  const value = call.cookies[`${call.cookieSet.state.name}.${part}`]
  if (!value) return {}
  try {
    return open(value, runtime.keys.for(PURPOSE), runtime.now())
  } catch {
    return {}
  }
}

/** Marks the browser as the one that asked for this link. */
export function markAsker({ token, stored }: Link, provider: ReadyEmail, runtime: Runtime): CookieChange {
  const requested: Requested = { link: markOf(token, provider), address: hashAddress(stored.identifier) }
  return put(REQUESTED, requested, provider.maxAgeSeconds, runtime)
}

/** The same where no email was sent: the responses look alike, and an earlier link stays valid in this browser. */
export function renewMark(identifier: string, call: AuthCall, provider: ReadyEmail, runtime: Runtime): CookieChange {
  const requested: Requested = readRequested(call, runtime) ?? {
    link: markOf(randomHex(), provider),
    address: hashAddress(identifier),
  }
  return put(REQUESTED, requested, provider.maxAgeSeconds, runtime)
}

function readRequested(call: AuthCall, runtime: Runtime): Requested | undefined {
  const { link, address = "" } = read(REQUESTED, call, runtime)
  return typeof link === "string" && typeof address === "string" ? { link, address } : undefined
}

function readKnown(call: AuthCall, runtime: Runtime): string[] {
  const { addresses } = read(KNOWN, call, runtime)
  return Array.isArray(addresses) ? addresses.filter((one) => typeof one === "string") : []
}

/** Has this address signed in from this browser, by a link that the browser requested? */
export const isKnownBrowser = (identifier: string, call: AuthCall, runtime: Runtime): boolean =>
  readKnown(call, runtime).includes(hashAddress(identifier))

/** Replaces the mark of a browser that opens the link it requested: it has proved that it receives the address's emails. */
export function rememberAddress(call: AuthCall, runtime: Runtime): CookieChange[] {
  const { address } = readRequested(call, runtime) ?? {}
  const forgetRequested: CookieChange = { drop: "state", part: REQUESTED }
  if (!address) return [forgetRequested]
  const others = readKnown(call, runtime).filter((one) => one !== address)
  const addresses = [address, ...others].slice(0, MAX_KNOWN)
  return [forgetRequested, put(KNOWN, { addresses }, KNOWN_MAX_AGE_SECONDS, runtime)]
}

/** Did this browser ask for the link? */
export function isAsker(call: AuthCall, token: string, provider: ReadyEmail, runtime: Runtime): boolean {
  const requested = readRequested(call, runtime)
  return requested !== undefined && isEqualText(requested.link, markOf(token, provider))
}

/** Does somebody look ahead, before the person has decided anything? */
const isPrefetch = ({ headers }: AuthCall): boolean =>
  ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ""),
  )

/** Does the person's own browser open the link that it asked for? */
export const isOpenedByAsker = (call: AuthCall, token: string, provider: ReadyEmail, runtime: Runtime): boolean =>
  !isPrefetch(call) && isAsker(call, token, provider, runtime)
