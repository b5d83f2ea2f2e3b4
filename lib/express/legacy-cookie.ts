import type { CookieSerializeOptions } from "../base/types.js"
import { type Cookies, chunkNames, serialise } from "../http/cookies.js"
import { sha256Base64url } from "../security/tokens.js"
import type { NodeRequest } from "./node.js"

/** The cookie of an old session. */
export interface LegacyCookie {
  readonly names: readonly string[]
  /** A hash that identifies the old session without revealing its cookie. */
  readonly fingerprint: string
}

/** 132 bits as base64url. */
const FINGERPRINT_LENGTH = 22

/** The cookies of these names, with their chunks; undefined if the browser has none, or only empty ones. */
export function findLegacyCookie(cookies: Cookies, wanted: readonly string[]): LegacyCookie | undefined {
  const names = wanted.flatMap((name) => chunkNames(cookies, name).sort()).filter((name) => cookies[name])
  if (names.length === 0) return undefined
  const text = names.map((name) => `${name}=${cookies[name]}`).join(";")
  return { names, fingerprint: sha256Base64url(text).slice(0, FINGERPRINT_LENGTH) }
}

/** The attributes that a browser compares when a cookie is cleared. */
export type LegacyCookieOptions = Pick<
  CookieSerializeOptions,
  "domain" | "partitioned" | "path" | "sameSite" | "secure"
>

/** The `Set-Cookie` headers that clear the cookie. Name, domain and path must be equal (RFC 6265 §5.3). */
export const clearLegacyCookie = ({ names }: LegacyCookie, options: CookieSerializeOptions): string[] =>
  names.map((name) => serialise({ name, value: "", options: { ...options, maxAge: 0, expires: new Date(0) } }))

/** The `name=value` part of a `Set-Cookie` header, which a browser sends back. */
const cookiePair = (setCookie: string): string => setCookie.split(";", 1)[0] ?? ""

/** Adds the new cookies to this request, so that later middleware reads them as in the browser's next request. */
export function appendRequestCookies(req: NodeRequest, setCookies: readonly string[]): void {
  const pairs = setCookies.map(cookiePair).join("; ")
  if (pairs === "") return
  req.headers.cookie = req.headers.cookie ? `${req.headers.cookie}; ${pairs}` : pairs
  req.rawHeaders.push("Cookie", pairs)
}
