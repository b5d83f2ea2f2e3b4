import type { CookieSerializeOptions } from "../base/types.js"
import { type Cookies, chunkNames, serialise } from "../http/cookies.js"
import { sha256Base64url } from "../security/tokens.js"
import type { NodeRequest } from "./node.js"

/** The cookies of an old session in one request. */
export interface LegacyCookie {
  /** The names of all cookies and chunks. */
  readonly names: readonly string[]
  /** A hash of the names and values. It identifies the old session without revealing its cookies. */
  readonly fingerprint: string
}

/** The length of a fingerprint in characters. In base64url, 22 characters are 132 bits. */
const FINGERPRINT_LENGTH = 22

/** Finds the non-empty cookies with these names, including their chunks; undefined if there are none. */
export function findLegacyCookie(cookies: Cookies, cookieNames: readonly string[]): LegacyCookie | undefined {
  const names = cookieNames.flatMap((name) => chunkNames(cookies, name).sort()).filter((name) => cookies[name])
  if (names.length === 0) return undefined
  const text = names.map((name) => `${name}=${cookies[name]}`).join(";")
  return { names, fingerprint: sha256Base64url(text).slice(0, FINGERPRINT_LENGTH) }
}

/** Attributes of the old cookie. A browser clears the cookie only if the domain and the path are the same. */
export type LegacyCookieOptions = Pick<
  CookieSerializeOptions,
  "domain" | "partitioned" | "path" | "sameSite" | "secure"
>

/**
 * Returns the `Set-Cookie` headers that clear the cookies. `options` must contain the domain and path with which the
 * cookies were set (RFC 6265 §5.3).
 */
export const createClearingCookies = ({ names }: LegacyCookie, options: CookieSerializeOptions): string[] =>
  names.map((name) => serialise({ name, value: "", options: { ...options, maxAge: 0, expires: new Date(0) } }))

/** Returns the `name=value` part of a `Set-Cookie` header, which a browser sends in `Cookie`. */
const cookiePair = (setCookie: string): string => setCookie.split(";", 1)[0] ?? ""

/** Adds new cookies to the `Cookie` header of this request, so that later middleware already reads them. */
export function appendRequestCookies(req: NodeRequest, setCookies: readonly string[]): void {
  const pairs = setCookies.map(cookiePair).join("; ")
  if (pairs === "") return
  req.headers.cookie = req.headers.cookie ? `${req.headers.cookie}; ${pairs}` : pairs
  req.rawHeaders.push("Cookie", pairs)
}
