import type { CookieChange } from "../base/types.js"

/** A response as data. `toResponse` and `toRaw` convert it to headers and a body. */
export interface Reply {
  readonly status: number
  readonly location?: string
  /** The URL to which the HTML page in `body` redirects automatically. */
  readonly continueUrl?: string
  readonly body?: string | object | null
  readonly type?: "html" | "json"
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies: readonly CookieChange[]
  /** An error of an application callback. The middleware calls `next` with it instead of sending the reply. */
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

/** Puts `earlier` cookie changes before those of the reply. If both change the same cookie, the reply's change wins. */
export const withCookies = (earlier: readonly CookieChange[], reply: Reply): Reply =>
  earlier.length > 0 ? { ...reply, cookies: [...earlier, ...reply.cookies] } : reply
