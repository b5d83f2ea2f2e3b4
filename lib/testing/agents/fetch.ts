import { parseSetCookie } from "cookie"
import { type CookieJar, cookiePair, isCleared } from "./cookie-jar.js"

/** A `fetch` with a cookie jar for one site. */
export interface FetchAgent {
  /** Scheme, host and port of the site. */
  readonly origin: string
  /** The `Cookie` header of the next request. */
  readonly cookie: string
  /** Stores a `Set-Cookie` header of a response. */
  setCookie(header: string): void
  /**
   * Calls `fetch` with the stored cookies, for a path or a URL of the site. By default redirects are not followed,
   * because the cookies of intermediate responses would be lost.
   */
  fetch(path: string | URL, init?: RequestInit): Promise<Response>
}

/** Options of `fetchAgent`. */
export interface FetchAgentOptions {
  /** The `fetch` function to call, for example that of a Hono application. @default globalThis.fetch */
  readonly fetch?: (request: Request) => Response | Promise<Response>
}

/** The option with which `parseSetCookie` returns the values of cookies as they were sent. */
const WITHOUT_DECODING = { decode: (value: string) => value }

function requireOrigin(origin: string | URL): string {
  if (!URL.canParse(String(origin)))
    throw new TypeError(`fetchAgent: ${JSON.stringify(String(origin))} is not a URL. Write "http://localhost:3000"`)
  return new URL(origin).origin
}

/**
 * Creates a test agent with `fetch` and a cookie jar, because `fetch` does not store cookies itself.
 *
 * @param site the URL of the site: "http://localhost:3000"
 * @throws TypeError when the URL is invalid
 * @example
 * const ada = fetchAgent("http://localhost:3000")
 * await signInAs(ada, { name: "Ada" }, { config })
 * expect((await ada.fetch("/profile")).status).toBe(200)
 */
export function fetchAgent(site: string | URL, { fetch = globalThis.fetch }: FetchAgentOptions = {}): FetchAgent {
  const origin = requireOrigin(site)
  const cookies = new Map<string, string>()
  const setCookie = (header: string): void => {
    const { name, value = "", maxAge, expires } = parseSetCookie(header, WITHOUT_DECODING)
    const isExpired = maxAge === undefined ? expires !== undefined && expires.getTime() <= Date.now() : maxAge <= 0
    if (isExpired) cookies.delete(name)
    else cookies.set(name, value)
  }
  const isOwn = (url: string): boolean => new URL(url).origin === origin
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  return {
    origin,
    setCookie,
    get cookie() {
      return cookieHeader()
    },
    async fetch(path, init) {
      const request = new Request(new URL(path, origin), { redirect: "manual", ...init })
      if (cookies.size > 0 && isOwn(request.url)) request.headers.set("cookie", cookieHeader())
      const response = await fetch(request)
      if (isOwn(response.redirected ? response.url : request.url)) response.headers.getSetCookie().forEach(setCookie)
      return response
    },
  }
}

export const fetchCookieJar = (agent: FetchAgent): CookieJar => ({
  origin: agent.origin,
  app: undefined,
  read: () => agent.cookie,
  store: (cookie) => agent.setCookie(`${cookiePair(cookie)}${isCleared(cookie) ? "; Max-Age=0" : ""}`),
})
