import type { CookieChange } from "../base/types.js"

/** A response as data. Only `write` converts it to headers and text. */
export interface Reply {
  readonly status: number
  readonly location?: string
  /** The URL to which the page redirects automatically. */
  readonly continueUrl?: string
  readonly body?: string | object | null
  readonly type?: "html" | "json"
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies: readonly CookieChange[]
  /** The application's own error, for frameworks with an error handler. */
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

/** Adds cookie changes before those of the reply: if both change a cookie, the reply's change is used. */
export const withCookies = (earlier: readonly CookieChange[], reply: Reply): Reply =>
  earlier.length > 0 ? { ...reply, cookies: [...earlier, ...reply.cookies] } : reply
