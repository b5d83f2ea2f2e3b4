export interface StoredCookie {
  readonly name: string
  readonly value: string
  /** Host and port, because tests run several sites on one IP address. */
  readonly host: string
  readonly path: string
  readonly secure: boolean
  readonly httpOnly: boolean
  readonly sameSite: "strict" | "lax" | "none"
  /** Milliseconds since 1970; absent for a cookie that lasts until the browser is closed. */
  readonly expiresAt?: number
}

export interface JarOptions {
  /** Store and send `Secure` cookies over http too, as behind a TLS-terminating proxy. */
  secure?: boolean | undefined
  /** Milliseconds since 1970. */
  now?: (() => number) | undefined
}

/** The origin of a request, which determines the `SameSite` cookies that are sent. */
export interface Initiator {
  crossSite: boolean
  /** A top-level GET: `Lax` cookies are sent even from another site. */
  navigation: boolean
}

/** Browsers reject a cookie whose name and value are longer. */
const MAX_BYTES = 4096

type Attributes = Readonly<Record<string, string | undefined>>

/** The cookies of a browser (RFC 6265bis) without `Domain`: every cookie belongs to one host. */
export class CookieJar {
  readonly #cookies = new Map<string, StoredCookie>()
  readonly #secure: boolean
  readonly #now: () => number

  constructor({ secure = false, now = Date.now }: JarOptions = {}) {
    this.#secure = secure
    this.#now = now
  }

  /** Stores the `Set-Cookie` headers of a response, except those that a browser rejects. */
  store(url: URL, headers: readonly string[]): void {
    for (const header of headers) {
      const cookie = this.#accept(url, header)
      if (cookie) this.put(cookie)
    }
  }

  /** Stores a cookie unchanged, or removes it if it has expired. */
  put(cookie: StoredCookie): void {
    const key = `${cookie.host} ${cookie.path} ${cookie.name}`
    if (isExpired(cookie, this.#now())) this.#cookies.delete(key)
    else this.#cookies.set(key, cookie)
  }

  /** The cookies of a request, the longest path first. */
  matching(url: URL, initiator: Initiator = { crossSite: false, navigation: true }): StoredCookie[] {
    return this.all(url.host)
      .filter((cookie) => isUnder(cookie.path, url.pathname))
      .filter((cookie) => !cookie.secure || this.#isSecure(url))
      .filter((cookie) => isSentFrom(cookie, initiator))
      .sort((a, b) => b.path.length - a.path.length)
  }

  /** All unexpired cookies, of one host or of all hosts. */
  all(host?: string): StoredCookie[] {
    const living = [...this.#cookies.values()].filter((cookie) => !isExpired(cookie, this.#now()))
    return host === undefined ? living : living.filter((cookie) => cookie.host === host)
  }

  /** Removes the cookies that match the test, or all cookies. */
  forget(test: (cookie: StoredCookie) => boolean = () => true): void {
    for (const [key, cookie] of this.#cookies) if (test(cookie)) this.#cookies.delete(key)
  }

  #isSecure(url: URL): boolean {
    return this.#secure || url.protocol === "https:"
  }

  #accept(url: URL, header: string): StoredCookie | undefined {
    const { name, value, attributes } = parseSetCookie(header)
    const secure = "secure" in attributes
    const sameSite = sameSiteOf(attributes)
    if (Buffer.byteLength(name + value) > MAX_BYTES) return undefined
    if (secure && !this.#isSecure(url)) return undefined
    if (sameSite === "none" && !secure) return undefined
    if (attributes["domain"] && attributes["domain"].replace(/^\./, "") !== url.hostname) return undefined
    if (!isPrefixKept(name, attributes)) return undefined
    const path = attributes["path"]?.startsWith("/") ? attributes["path"] : defaultPath(url)
    const expiresAt = expiryOf(attributes, this.#now())
    return {
      ...{ name, value, host: url.host, path, secure, sameSite, httpOnly: "httponly" in attributes },
      ...(expiresAt !== undefined && { expiresAt }),
    }
  }
}

/** Parses a `Set-Cookie` header. Attribute names are in lower case. */
export function parseSetCookie(header: string): { name: string; value: string; attributes: Attributes } {
  const [pair = "", ...rest] = header.split(";")
  const [name, value] = splitAt(pair, "=")
  const attributes = Object.fromEntries(
    rest.map((part) => splitAt(part, "=")).map(([key, text]) => [key.toLowerCase(), text]),
  )
  return { name, value, attributes }
}

function splitAt(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator)
  return index < 0 ? [text.trim(), ""] : [text.slice(0, index).trim(), text.slice(index + 1).trim()]
}

function sameSiteOf(attributes: Attributes): StoredCookie["sameSite"] {
  const text = attributes["samesite"]?.toLowerCase()
  return text === "strict" || text === "none" ? text : "lax"
}

/** `__Secure-` and `__Host-` require attributes (RFC 6265bis §4.1.3). */
function isPrefixKept(name: string, attributes: Attributes): boolean {
  if (/^__Secure-/i.test(name)) return "secure" in attributes
  if (/^__Host-/i.test(name)) return "secure" in attributes && attributes["path"] === "/" && !attributes["domain"]
  return true
}

function expiryOf(attributes: Attributes, now: number): number | undefined {
  const maxAge = attributes["max-age"]
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return Number(maxAge) > 0 ? now + Number(maxAge) * 1000 : 0
  const expires = Date.parse(attributes["expires"] ?? "")
  return Number.isNaN(expires) ? undefined : expires
}

const isExpired = ({ expiresAt }: StoredCookie, now: number) => expiresAt !== undefined && expiresAt <= now

const defaultPath = ({ pathname }: URL) => pathname.slice(0, pathname.lastIndexOf("/")) || "/"

const isUnder = (path: string, pathname: string) =>
  pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`)

function isSentFrom({ sameSite }: StoredCookie, { crossSite, navigation }: Initiator): boolean {
  return !crossSite || sameSite === "none" || (sameSite === "lax" && navigation)
}
