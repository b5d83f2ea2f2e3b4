/**
 * Parses and serialises cookies, and defines their names, attributes and chunks. Performs no I/O.
 *
 * @module
 */

import { parseCookie, stringifySetCookie } from "cookie"
import { omitUndefined } from "../base/merge.js"
import type { CookieChange, CookieKey, CookieOption, CookieSerializeOptions } from "../base/types.js"
import { sentLength, splitValue } from "./cookie-chunks.js"

/** The name and the attributes of each cookie of this package. */
export type CookieSet = Readonly<Record<CookieKey, Readonly<CookieOption>>>

/** The cookies of a request: values by name. */
export type Cookies = Readonly<Record<string, string | undefined>>

/** The maximum duration of a sign-in flow, in seconds. */
export const FLOW_MAX_AGE_SECONDS = 900

/** How long a sign-in waits for the user to meet a requirement, in seconds. */
export const PENDING_SIGN_IN_MAX_AGE_SECONDS = 600

/** The lifetime, in seconds, of the cookies that carry data of a failed request to the page that shows the error. */
export const FAILURE_COOKIE_MAX_AGE_SECONDS = 60

/** How long a browser remembers the sign-in method that was used last: one year, in seconds. */
const LAST_USED_MAX_AGE_SECONDS = 365 * 24 * 3_600

/**
 * The maximum number of cookies that one response clears. A sibling host can plant hundreds of cookies, and proxies
 * reject responses with long headers. Later responses clear the remaining cookies.
 */
export const MAX_CLEARED = 10

const FLOW = { maxAge: FLOW_MAX_AGE_SECONDS }

interface DefaultCookie {
  readonly name: string
  /** The prefix of the name on https. */
  readonly prefix: "__Secure-" | "__Host-"
  readonly options?: CookieSerializeOptions
}

/** Cookies with the same names as in Auth.js, so that sessions and forms stay valid after a migration from Auth.js. */
const SHARED = {
  sessionToken: { name: "authjs.session-token", prefix: "__Secure-" },
  callbackUrl: { name: "authjs.callback-url", prefix: "__Secure-" },
  csrfToken: { name: "authjs.csrf-token", prefix: "__Host-" },
} as const satisfies Partial<Record<CookieKey, DefaultCookie>>

/** Cookies that only this package reads. Sibling hosts can't set cookies with `__Host-` (RFC 6265bis §4.1.3.2). */
const OWN = {
  pkceCodeVerifier: { name: "authjs.pkce.code_verifier", prefix: "__Host-", options: FLOW },
  state: { name: "authjs.state", prefix: "__Host-", options: FLOW },
  nonce: { name: "authjs.nonce", prefix: "__Host-" },
  webauthnChallenge: { name: "authjs.challenge", prefix: "__Host-", options: FLOW },
  errorReference: {
    name: "authjs.error-reference",
    prefix: "__Host-",
    options: { maxAge: FAILURE_COOKIE_MAX_AGE_SECONDS },
  },
  formValues: {
    name: "authjs.form-values",
    prefix: "__Host-",
    options: { maxAge: FAILURE_COOKIE_MAX_AGE_SECONDS },
  },
  pendingSignIn: { name: "authjs.pending-sign-in", prefix: "__Host-" },
  trustedDevice: { name: "authjs.trusted-device", prefix: "__Host-" },
  lastUsed: { name: "authjs.last-used", prefix: "__Host-", options: { maxAge: LAST_USED_MAX_AGE_SECONDS } },
  migrated: { name: "authjs.migrated", prefix: "__Host-" },
} as const satisfies Partial<Record<CookieKey, DefaultCookie>>

type DefaultKey = Exclude<CookieKey, "formerSessionToken">

const DEFAULTS: Record<DefaultKey, DefaultCookie> = { ...SHARED, ...OWN }

/**
 * Returns the prefix of a default cookie name on https. Browsers reject `__Host-` cookies with a domain or with a path
 * other than "/", so the cookies in `OWN` then use `__Secure-`. The names in `SHARED` keep their prefix, because they
 * are the names of Auth.js. The check of the configuration reports a `__Host-` name with such a domain or path.
 */
function prefixFor(key: DefaultKey, { domain, path }: CookieSerializeOptions): DefaultCookie["prefix"] {
  const allowsHostPrefix = domain === undefined && path === "/"
  return !allowsHostPrefix && Object.hasOwn(OWN, key) ? "__Secure-" : DEFAULTS[key].prefix
}

/** Replaces the prefix of a cookie name with `__Host-`, or adds `__Host-` to a name without a prefix. */
const withHostPrefix = (name: string): string => `__Host-${name.replace(/^__(?:secure|host)-/i, "")}`

/** The options that determine the names and attributes of cookies. */
export interface CookieNaming {
  readonly cookies?: Partial<Record<DefaultKey, Partial<CookieOption>>> | undefined
  /** Adds `__Host-` to the session cookie on https. */
  readonly hostPrefix?: boolean | undefined
}

/** Creates the cookie set for http or https. The application's names and attributes replace the defaults. */
export function createCookieSet(secure: boolean, { cookies = {}, hostPrefix = false }: CookieNaming = {}): CookieSet {
  const resolve = (key: DefaultKey): CookieOption => {
    const { name, options: defaults } = DEFAULTS[key]
    const base = { httpOnly: true, sameSite: "lax", path: "/", secure } as const
    const options: CookieSerializeOptions = { ...base, ...defaults, ...omitUndefined(cookies[key]?.options) }
    const defaultName = secure ? prefixFor(key, options) + name : name
    return Object.freeze({ name: cookies[key]?.name ?? defaultName, options: Object.freeze(options) })
  }
  const session = resolve("sessionToken")
  const usesHostPrefix = hostPrefix && secure
  return Object.freeze({
    sessionToken: usesHostPrefix ? Object.freeze({ ...session, name: withHostPrefix(session.name) }) : session,
    formerSessionToken: session,
    callbackUrl: resolve("callbackUrl"),
    csrfToken: resolve("csrfToken"),
    pkceCodeVerifier: resolve("pkceCodeVerifier"),
    state: resolve("state"),
    nonce: resolve("nonce"),
    webauthnChallenge: resolve("webauthnChallenge"),
    errorReference: resolve("errorReference"),
    formValues: resolve("formValues"),
    pendingSignIn: resolve("pendingSignIn"),
    trustedDevice: resolve("trustedDevice"),
    lastUsed: resolve("lastUsed"),
    migrated: resolve("migrated"),
  })
}

/** Parses a `Cookie` header. The first value of a repeated name is used: its path is the longest (RFC 6265 §5.4). */
export function parseCookies(header: string | null | undefined): Cookies {
  return header ? parseCookie(header) : {}
}

/** True if a cookie name begins at the index `at`. Also true for -1, which means that `indexOf` found nothing. */
function isCookieAt(header: string, at: number): boolean {
  let previous = at
  do previous--
  while (header[previous] === " " || header[previous] === "\t")
  return previous < 0 || header[previous] === ";"
}

/**
 * Parses the part of a `Cookie` header that starts at the first cookie whose name begins with `name`. Skipping the
 * earlier cookies saves time, because this function runs on every request.
 */
export function parseCookiesFrom(name: string, header: string | null | undefined): Cookies {
  if (!header) return {}
  let at = header.indexOf(name)
  while (!isCookieAt(header, at)) at = header.indexOf(name, at + 1)
  return at < 0 ? {} : parseCookies(header.slice(at))
}

/**
 * Parses the session cookies in a header, under the current name and under the former name, which is the name without
 * `hostPrefix`. May also return other cookies.
 */
export function parseSessionCookies(
  { sessionToken, formerSessionToken }: CookieSet,
  header: string | null | undefined,
): Cookies {
  if (sessionToken.name === formerSessionToken.name || !header?.includes(formerSessionToken.name))
    return parseCookiesFrom(sessionToken.name, header)
  return parseCookies(header)
}

/** Returns the name of a cookie, with the suffix `part` if given: `authjs.session-token.1`. */
export const cookieName = (set: CookieSet, key: CookieKey, part?: string): string =>
  part === undefined ? set[key].name : `${set[key].name}.${part}`

const changedKey = (change: CookieChange): CookieKey => ("put" in change ? change.put : change.drop)

/** Returns the names in `cookies` that are the name of this cookie or of one of its chunks. */
export function chunkNames(cookies: Cookies, name: string): string[] {
  return Object.keys(cookies).filter(
    (candidate) =>
      candidate === name || (candidate.startsWith(`${name}.`) && /^\d{1,3}$/.test(candidate.slice(name.length + 1))),
  )
}

/**
 * Returns the candidate values of a chunked cookie: the value of the cookie without a suffix, and the joined values of
 * the chunks `.0`, `.1` and so on. Usually only one candidate exists. If there are two, a sibling host may have planted
 * one of them, so the caller must check which candidate is valid.
 */
export function readChunked(cookies: Cookies, name: string): string[] {
  const chunks: string[] = []
  const size = cookies[`${name}.0`]?.length ?? 0
  for (let i = 0, chunk = cookies[`${name}.0`]; chunk; chunk = cookies[`${name}.${++i}`]) {
    chunks.push(chunk)
    // Only the last chunk can be shorter than the first, so the next chunk does not belong to this value.
    if (chunk.length < size) break
  }
  const plain = cookies[name]
  return [...(plain ? [plain] : []), ...(chunks.length > 0 ? [chunks.join("")] : [])]
}

/** Caches the results of `measureOverhead`. */
const overheads = new WeakMap<CookieOption, number>()

/** Returns the length of a cookie's name and attributes. */
function measureOverhead(cookie: CookieOption): number {
  const cached = overheads.get(cookie)
  if (cached !== undefined) return cached
  const { encode: _, ...options } = cookie.options
  const overhead = serialise({ name: cookie.name, value: "", options: { ...options, expires: new Date(0) } }).length
  overheads.set(cookie, overhead)
  return overhead
}

export interface ChunkedValue {
  readonly value: string
  /** Undefined for a cookie that browsers delete when they are closed. */
  readonly expires: Date | undefined
  /** The cookies that the browser has sent. */
  readonly present: Cookies
  readonly cookie: CookieOption
}

/**
 * Returns the changes that set a chunked cookie to a new value and clear stale chunks.
 *
 * @throws RangeError if the value does not fit into the maximum number of chunks
 */
export function putChunked(key: CookieKey, { value, expires, present, cookie }: ChunkedValue): CookieChange[] {
  const parts = splitValue(value, measureOverhead(cookie))
  if (!parts) throw new RangeError(`${value.length} characters are more than cookies can hold`)
  const lifetime = expires && { expires }
  const puts: CookieChange[] =
    parts.length <= 1
      ? [{ put: key, value, ...lifetime }]
      : parts.map((part, i) => ({ put: key, part: String(i), value: part, ...lifetime }))
  // A chunk may be both cleared and set. The later change wins, which sets the chunk.
  return [...dropChunked(key, present, cookie.name), ...puts]
}

/** Returns the length that the cookies of the changes have in the `Cookie` header of later requests. */
export const totalSentLength = (changes: readonly CookieChange[], set: CookieSet): number =>
  changes.reduce(
    (sum, change) => sum + ("put" in change ? sentLength(cookieName(set, change.put, change.part), change.value) : 0),
    0,
  )

/** Returns the changes that clear the cookie and its chunks, if the browser has sent them; at most `MAX_CLEARED`. */
export function dropChunked(key: CookieKey, present: Cookies, name: string): CookieChange[] {
  return chunkNames(present, name)
    .map((sentName) => sentName.slice(name.length + 1))
    .sort((a, b) => Number(a) - Number(b))
    .slice(0, MAX_CLEARED)
    .map((part) => (part === "" ? { drop: key } : { drop: key, part }))
}

/** A cookie as data, ready to be serialised. */
export interface OutgoingCookie {
  name: string
  value: string
  options: CookieSerializeOptions
}

/** Returns the expiry attributes of a change. */
const expiryAttributes = (change: CookieChange): CookieSerializeOptions =>
  "put" in change
    ? {
        ...(change.expires && { expires: change.expires }),
        ...(change.maxAgeSeconds !== undefined && { maxAge: change.maxAgeSeconds }),
      }
    : { maxAge: 0 }

/** Removes each change that a later change to the same cookie overrides. */
function keepLastChanges(changes: readonly CookieChange[], set: CookieSet): readonly CookieChange[] {
  if (changes.length < 2) return changes
  const byName = new Map<string, CookieChange>()
  for (const change of changes) {
    const name = cookieName(set, changedKey(change), change.part)
    byName.delete(name)
    byName.set(name, change)
  }
  return [...byName.values()]
}

function withAttributes(change: CookieChange, set: CookieSet): OutgoingCookie {
  const key = changedKey(change)
  return {
    name: cookieName(set, key, change.part),
    value: "put" in change ? change.value : "",
    options: { ...set[key].options, ...expiryAttributes(change) },
  }
}

/** Converts changes to cookies with names and attributes. */
export const toOutgoing = (changes: readonly CookieChange[], set: CookieSet): OutgoingCookie[] =>
  keepLastChanges(changes, set).map((change) => withAttributes(change, set))

/** Returns the value of a `Set-Cookie` header (RFC 6265 §4.1). */
export function serialise({ name, value, options }: OutgoingCookie): string {
  const { encode, ...attributes } = options
  return stringifySetCookie({ name, value, ...omitUndefined(attributes) }, encode && { encode })
}

/** Caches the headers that clear cookies, because every response to a request with an invalid cookie contains one. */
const clearHeaders = new WeakMap<CookieOption, string>()

function formatHeader(change: CookieChange, set: CookieSet): string {
  if ("put" in change || change.part !== undefined) return serialise(withAttributes(change, set))
  const header = clearHeaders.get(set[change.drop]) ?? serialise(withAttributes(change, set))
  clearHeaders.set(set[change.drop], header)
  return header
}

/** Returns the values of the `Set-Cookie` headers for the changes. */
export const toSetCookies = (changes: readonly CookieChange[], set: CookieSet): string[] =>
  keepLastChanges(changes, set).map((change) => formatHeader(change, set))
