/**
 * Cookies as text and as data: names, parsing, chunks and their joining. Pure.
 *
 * @module
 */
import { parseCookie, stringifySetCookie } from "cookie"
import { defined } from "../merge.js"
import type { CookieOption, CookieSerializeOptions, CookiesOptions } from "../types.js"
import { partsOf, sentLength } from "./cookie-parts.js"

/**
 * Those that an application may name, and our own. `formerSessionToken` is the session's cookie as it is named without
 * `session.hostPrefix`: the same as `sessionToken` where that changes nothing.
 */
export type CookieKey = keyof CookiesOptions | "errorReference" | "formValues" | "adopted" | "formerSessionToken"

/**
 * A cookie to set or to clear. `part` is for cookies that come in several: a session's chunks, a flow's own.
 * `maxAgeSeconds` takes the place of its usual life.
 */
export type CookieChange =
  | {
      readonly put: CookieKey
      readonly part?: string
      readonly value: string
      readonly expires?: Date
      readonly maxAgeSeconds?: number
    }
  | { readonly drop: CookieKey; readonly part?: string }

export type CookieSet = Readonly<Record<CookieKey, Readonly<CookieOption>>>

export type Cookies = Readonly<Record<string, string | undefined>>

/** Seconds for which a sign-in may be under way. */
export const FLOW_MAX_AGE_SECONDS = 900

/** Seconds for which a failure may be on its way to the page that tells of it. */
export const REFERENCE_MAX_AGE_SECONDS = 60

/**
 * How many cookies one answer clears: neighbours can plant them by the hundred, and proxies refuse answers with long
 * headers. The next answer clears the next.
 */
export const MOST_CLEARED = 10

const FLOW = { maxAge: FLOW_MAX_AGE_SECONDS }

interface DefaultCookie {
  readonly name: string
  /** The prefix of the name on https. */
  readonly prefix: "__Secure-" | "__Host-"
  readonly options?: CookieSerializeOptions
}

/** The names of Auth.js for the cookies that its sessions and forms need, so that those stay valid. */
const SHARED = {
  sessionToken: { name: "authjs.session-token", prefix: "__Secure-" },
  callbackUrl: { name: "authjs.callback-url", prefix: "__Secure-" },
  csrfToken: { name: "authjs.csrf-token", prefix: "__Host-" },
} as const satisfies Partial<Record<CookieKey, DefaultCookie>>

/** The cookies that only this package reads. With `__Host-` no sibling host can set them (RFC 6265bis §4.1.3.2). */
const OWN = {
  pkceCodeVerifier: { name: "authjs.pkce.code_verifier", prefix: "__Host-", options: FLOW },
  state: { name: "authjs.state", prefix: "__Host-", options: FLOW },
  nonce: { name: "authjs.nonce", prefix: "__Host-" },
  webauthnChallenge: { name: "authjs.challenge", prefix: "__Host-", options: FLOW },
  errorReference: {
    name: "authjs.error-reference",
    prefix: "__Host-",
    options: { maxAge: REFERENCE_MAX_AGE_SECONDS },
  },
  formValues: {
    name: "authjs.form-values",
    prefix: "__Host-",
    options: { maxAge: REFERENCE_MAX_AGE_SECONDS },
  },
  adopted: { name: "authjs.adopted", prefix: "__Host-" },
} as const satisfies Partial<Record<CookieKey, DefaultCookie>>

type DefaultKey = Exclude<CookieKey, "formerSessionToken">

const DEFAULTS: Record<DefaultKey, DefaultCookie> = { ...SHARED, ...OWN }

/** The prefix of a default name on https. One of our own cookies that has a domain or a path can't be `__Host-`. */
function prefixFor(key: DefaultKey, { domain, path }: CookieSerializeOptions): DefaultCookie["prefix"] {
  const isWider = domain !== undefined || path !== "/"
  return isWider && Object.hasOwn(OWN, key) ? "__Secure-" : DEFAULTS[key].prefix
}

/** A name on https, with `__Host-` instead of another prefix. */
const withHostPrefix = (name: string): string => `__Host-${name.replace(/^__(?:secure|host)-/i, "")}`

/** How the cookies are named. */
export interface CookieNaming {
  readonly cookies?: Partial<Record<DefaultKey, Partial<CookieOption>>> | undefined
  /** Is the session's cookie `__Host-` on https? */
  readonly hostPrefix?: boolean | undefined
}

/** The cookies of one mode, the application's names and attributes over the defaults. */
export function createCookieSet(secure: boolean, { cookies = {}, hostPrefix = false }: CookieNaming = {}): CookieSet {
  const resolve = (key: DefaultKey): CookieOption => {
    const { name, options: defaults } = DEFAULTS[key]
    const base = { httpOnly: true, sameSite: "lax", path: "/", secure } as const
    const options: CookieSerializeOptions = { ...base, ...defaults, ...defined(cookies[key]?.options) }
    const defaultName = secure ? prefixFor(key, options) + name : name
    return Object.freeze({ name: cookies[key]?.name ?? defaultName, options: Object.freeze(options) })
  }
  const session = resolve("sessionToken")
  const isHost = hostPrefix && secure
  return Object.freeze({
    sessionToken: isHost ? Object.freeze({ ...session, name: withHostPrefix(session.name) }) : session,
    formerSessionToken: session,
    callbackUrl: resolve("callbackUrl"),
    csrfToken: resolve("csrfToken"),
    pkceCodeVerifier: resolve("pkceCodeVerifier"),
    state: resolve("state"),
    nonce: resolve("nonce"),
    webauthnChallenge: resolve("webauthnChallenge"),
    errorReference: resolve("errorReference"),
    formValues: resolve("formValues"),
    adopted: resolve("adopted"),
  })
}

/** The cookies of a `Cookie` header; of two with one name the first counts (RFC 6265 §5.4 puts the closer one first). */
export function parseCookies(header: string | null | undefined): Cookies {
  return header ? parseCookie(header) : {}
}

/**
 * Does a cookie begin here, or is this nowhere (-1)? Within another's name or value the text of a name does not count.
 */
function isCookieAt(header: string, at: number): boolean {
  let before = at
  do before--
  while (header[before] === " " || header[before] === "\t")
  return before < 0 || header[before] === ";"
}

/**
 * The cookies of a header from the first on whose name begins so: one cookie is looked for on every request, and the
 * others cost nothing.
 */
export function parseCookiesFrom(name: string, header: string | null | undefined): Cookies {
  if (!header) return {}
  let at = header.indexOf(name)
  while (!isCookieAt(header, at)) at = header.indexOf(name, at + 1)
  return at < 0 ? {} : parseCookies(header.slice(at))
}

/** The session's cookies of a header, under its name and its former one. */
export function parseSessionCookies(
  { sessionToken, formerSessionToken }: CookieSet,
  header: string | null | undefined,
): Cookies {
  if (sessionToken.name === formerSessionToken.name || !header?.includes(formerSessionToken.name))
    return parseCookiesFrom(sessionToken.name, header)
  return parseCookies(header)
}

/** The name under which a change is written: `authjs.session-token.1`. */
export const nameOf = (set: CookieSet, key: CookieKey, part?: string): string =>
  part === undefined ? set[key].name : `${set[key].name}.${part}`

const keyOf = (change: CookieChange): CookieKey => ("put" in change ? change.put : change.drop)

/** The names among the cookies that are this cookie or a chunk of it: a stranger's look-alike is not. */
export function chunkNames(cookies: Cookies, name: string): string[] {
  return Object.keys(cookies).filter(
    (other) => other === name || (other.startsWith(`${name}.`) && /^\d{1,3}$/.test(other.slice(name.length + 1))),
  )
}

/**
 * The values that a chunked cookie may have: the whole set `.0 .1 …`, and the plain one. Usually there is one; where a
 * neighbour planted another, the one that opens is the real one.
 */
export function readChunked(cookies: Cookies, name: string): string[] {
  const chunks: string[] = []
  const size = cookies[`${name}.0`]?.length ?? 0
  for (let i = 0, chunk = cookies[`${name}.0`]; chunk; chunk = cookies[`${name}.${++i}`]) {
    chunks.push(chunk)
    // Only the last one is short: what follows is a neighbour's.
    if (chunk.length < size) break
  }
  const plain = cookies[name]
  return [...(plain ? [plain] : []), ...(chunks.length > 0 ? [chunks.join("")] : [])]
}

/** The characters of a cookie's name and attributes. They never change. */
const overheads = new WeakMap<CookieOption, number>()

function overheadOf(cookie: CookieOption): number {
  const known = overheads.get(cookie)
  if (known !== undefined) return known
  const { encode: _, ...options } = cookie.options
  const overhead = serialise({ name: cookie.name, value: "", options: { ...options, expires: new Date(0) } }).length
  overheads.set(cookie, overhead)
  return overhead
}

export interface ChunkedValue {
  readonly value: string
  readonly expires: Date
  /** The browser's cookies. */
  readonly present: Cookies
  readonly cookie: CookieOption
}

/**
 * The changes that replace a chunked cookie by a new value, stale chunks dropped.
 *
 * @throws RangeError when the value can't be split into cookies that browsers keep
 */
export function putChunked(key: CookieKey, { value, expires, present, cookie }: ChunkedValue): CookieChange[] {
  const parts = partsOf(value, overheadOf(cookie))
  if (!parts) throw new RangeError(`${value.length} characters are more than cookies can hold`)
  const puts: CookieChange[] =
    parts.length <= 1
      ? [{ put: key, value, expires }]
      : parts.map((part, i) => ({ put: key, part: String(i), value: part, expires }))
  // Of a part that is written again the later change counts.
  return [...dropChunked(key, present, cookie.name), ...puts]
}

/** How many characters cookies that are set take in each request. */
export const sentLengthOf = (changes: readonly CookieChange[], set: CookieSet): number =>
  changes.reduce(
    (sum, change) => sum + ("put" in change ? sentLength(nameOf(set, change.put, change.part), change.value) : 0),
    0,
  )

/** The changes that clear a chunked cookie: the parts that the browser sent, the first first. */
export function dropChunked(key: CookieKey, present: Cookies, name: string): CookieChange[] {
  return chunkNames(present, name)
    .map((found) => found.slice(name.length + 1))
    .sort((a, b) => Number(a) - Number(b))
    .slice(0, MOST_CLEARED)
    .map((part) => (part === "" ? { drop: key } : { drop: key, part }))
}

/** One cookie as data, ready for a header. */
export interface OutgoingCookie {
  name: string
  value: string
  options: CookieSerializeOptions
}

/** Attributes of a change's own: when the cookie ends. */
const lifeOf = (change: CookieChange): CookieSerializeOptions =>
  "put" in change
    ? {
        ...(change.expires && { expires: change.expires }),
        ...(change.maxAgeSeconds !== undefined && { maxAge: change.maxAgeSeconds }),
      }
    : { maxAge: 0 }

/** Of two changes to one cookie the last counts. */
function lastOfEach(changes: readonly CookieChange[], set: CookieSet): readonly CookieChange[] {
  if (changes.length < 2) return changes
  const byName = new Map<string, CookieChange>()
  for (const change of changes) {
    const name = nameOf(set, keyOf(change), change.part)
    byName.delete(name)
    byName.set(name, change)
  }
  return [...byName.values()]
}

function withAttributes(change: CookieChange, set: CookieSet): OutgoingCookie {
  const key = keyOf(change)
  return {
    name: nameOf(set, key, change.part),
    value: "put" in change ? change.value : "",
    options: { ...set[key].options, ...lifeOf(change) },
  }
}

/** The changes with names and attributes. */
export const toOutgoing = (changes: readonly CookieChange[], set: CookieSet): OutgoingCookie[] =>
  lastOfEach(changes, set).map((change) => withAttributes(change, set))

/** A `Set-Cookie` header (RFC 6265 §4.1). */
export function serialise({ name, value, options }: OutgoingCookie): string {
  const { encode, ...attributes } = options
  return stringifySetCookie({ name, value, ...defined(attributes) }, encode && { encode })
}

/** How a whole cookie is cleared never changes, and strangers with bad cookies ask for it as fast as they can. */
const clearing = new WeakMap<CookieOption, string>()

function headerOf(change: CookieChange, set: CookieSet): string {
  if ("put" in change || change.part !== undefined) return serialise(withAttributes(change, set))
  const header = clearing.get(set[change.drop]) ?? serialise(withAttributes(change, set))
  clearing.set(set[change.drop], header)
  return header
}

/** The `Set-Cookie` headers of changes. */
export const toSetCookies = (changes: readonly CookieChange[], set: CookieSet): string[] =>
  lastOfEach(changes, set).map((change) => headerOf(change, set))
