import { parseSetCookie } from "cookie"
import { type CookieKeeper, isDropped, pairOf } from "./keeper.js"

/** A browser of one site, made of `fetch`. */
export interface FetchAgent {
  /** Scheme, host and port of the site. */
  readonly origin: string
  /** The `Cookie` header of its next request. */
  readonly cookie: string
  /** Takes a `Set-Cookie` header, as an answer brings it. */
  setCookie(header: string): void
  /**
   * `fetch` with the cookies that were kept, for a path or an address of the site. It follows no redirect unless told
   * to: on the way there would be cookies that nobody sees.
   */
  fetch(path: string | URL, init?: RequestInit): Promise<Response>
}

/** Options of `fetchAgent`. */
export interface FetchAgentOptions {
  /** Who answers: `fetch` itself, or an application's own, as Hono has it. @default globalThis.fetch */
  readonly fetch?: (request: Request) => Response | Promise<Response>
}

/** What comes goes back as it is. */
const AS_SENT = { decode: (value: string) => value }

function requireOrigin(origin: string | URL): string {
  if (!URL.canParse(String(origin)))
    throw new TypeError(`fetchAgent: ${JSON.stringify(String(origin))} is no address. Write "http://localhost:3000"`)
  return new URL(origin).origin
}

/**
 * An agent for tests with plain `fetch`, which itself keeps no cookies.
 *
 * @param site its address: "http://localhost:3000"
 * @throws TypeError when that is none
 * @example
 * const ada = fetchAgent("http://localhost:3000")
 * await signInAs(ada, { name: "Ada" }, { config })
 * expect((await ada.fetch("/profile")).status).toBe(200)
 */
export function fetchAgent(site: string | URL, { fetch = globalThis.fetch }: FetchAgentOptions = {}): FetchAgent {
  const origin = requireOrigin(site)
  const cookies = new Map<string, string>()
  const setCookie = (header: string): void => {
    const { name, value = "", maxAge, expires } = parseSetCookie(header, AS_SENT)
    const isOver = maxAge === undefined ? expires !== undefined && expires.getTime() <= Date.now() : maxAge <= 0
    if (isOver) cookies.delete(name)
    else cookies.set(name, value)
  }
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  return {
    origin,
    setCookie,
    get cookie() {
      return cookieHeader()
    },
    async fetch(path, init) {
      const request = new Request(new URL(path, origin), { redirect: "manual", ...init })
      if (cookies.size > 0 && new URL(request.url).origin === origin) request.headers.set("cookie", cookieHeader())
      const response = await fetch(request)
      for (const header of response.headers.getSetCookie()) setCookie(header)
      return response
    },
  }
}

export const fetchKeeper = (agent: FetchAgent): CookieKeeper => ({
  origin: agent.origin,
  app: undefined,
  read: () => agent.cookie,
  take: (cookie) => agent.setCookie(`${pairOf(cookie)}${isDropped(cookie) ? "; Max-Age=0" : ""}`),
})
