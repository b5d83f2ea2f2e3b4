import type { CookieChange } from "./cookies.js"

/** An answer as data; `write` alone gives it its text. */
export interface Reply {
  readonly status: number
  readonly location?: string
  /** Where a page continues by itself. */
  readonly continueUrl?: string
  readonly body?: string | object | null
  readonly type?: "html" | "json"
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies: readonly CookieChange[]
  /** The application's own failure, for frameworks that have a place for it. */
  readonly failure?: Error
}

export const redirect = (location: string, cookies: readonly CookieChange[] = []): Reply => ({
  status: 302,
  location,
  cookies,
})

export const json = (body: object | string | null, cookies: readonly CookieChange[] = [], status = 200): Reply => ({
  status,
  body,
  type: "json",
  cookies,
})

export const html = (page: { html: string; headers: Readonly<Record<string, string>> }, status = 200): Reply => ({
  status,
  body: page.html,
  type: "html",
  headers: page.headers,
  cookies: [],
})

/** The reply with cookies put before its own: of two changes to one cookie the later counts. */
export const withCookies = (earlier: readonly CookieChange[], reply: Reply): Reply =>
  earlier.length > 0 ? { ...reply, cookies: [...earlier, ...reply.cookies] } : reply
