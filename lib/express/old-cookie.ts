import { type Cookies, chunkNames, serialise } from "../http/cookies.js"
import { sha256Base64url } from "../security/tokens.js"
import type { CookieSerializeOptions } from "../types.js"
import type { NodeRequest } from "./node.js"

/** The old session as a browser sent it. */
export interface OldCookie {
  readonly names: readonly string[]
  /** Tells this old session from others, and nobody what its cookie holds. */
  readonly mark: string
}

/** 132 bits as base64url. */
const MARK_LENGTH = 22

/** The cookies of these names and their parts; undefined where the browser has none, or only empty ones. */
export function findOldCookie(cookies: Cookies, wanted: readonly string[]): OldCookie | undefined {
  const names = wanted.flatMap((name) => chunkNames(cookies, name).sort()).filter((name) => cookies[name])
  if (names.length === 0) return undefined
  const text = names.map((name) => `${name}=${cookies[name]}`).join(";")
  return { names, mark: sha256Base64url(text).slice(0, MARK_LENGTH) }
}

/** Attributes by which a browser finds the cookie that is to be cleared. */
export type OldCookieOptions = Pick<CookieSerializeOptions, "domain" | "partitioned" | "path" | "sameSite" | "secure">

/** The headers that clear it. A browser clears what has the same name, domain and path (RFC 6265 §5.3). */
export const clearOldCookie = ({ names }: OldCookie, options: CookieSerializeOptions): string[] =>
  names.map((name) => serialise({ name, value: "", options: { ...options, maxAge: 0, expires: new Date(0) } }))

/** What of `Set-Cookie` headers a browser sends back. */
const pairOf = (setCookie: string): string => setCookie.split(";", 1)[0] ?? ""

/** Makes this request look as the browser's next one will: whoever reads it from here on finds the new cookies. */
export function bringCookies(req: NodeRequest, setCookies: readonly string[]): void {
  const pairs = setCookies.map(pairOf).join("; ")
  if (pairs === "") return
  req.headers.cookie = req.headers.cookie ? `${req.headers.cookie}; ${pairs}` : pairs
  req.rawHeaders.push("Cookie", pairs)
}
