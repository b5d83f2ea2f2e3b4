import type { OutgoingCookie } from "../../http/cookies.js"
import { type CookieJar, cookiePair, isCleared } from "./cookie-jar.js"

/** A Playwright cookie. */
export interface ContextCookie {
  /** The cookie's name. */
  name: string
  /** The cookie's value. */
  value: string
  /** The host that receives the cookie. */
  domain: string
  /** The path below which the cookie is sent. */
  path: string
  /** True if scripts can't read the cookie. */
  httpOnly: boolean
  /** True if the cookie is sent only over https. */
  secure: boolean
  /** The SameSite attribute. */
  sameSite: "Strict" | "Lax" | "None"
}

/** The members of a Playwright `BrowserContext` that are used here. */
export interface PlaywrightContext {
  /** Sets cookies. */
  addCookies(cookies: readonly ContextCookie[]): Promise<unknown>
  /** Reads cookies. */
  cookies(urls?: string | string[]): Promise<readonly { name: string; value: string }[]>
  /** Deletes a cookie. */
  clearCookies(options?: { name?: string }): Promise<unknown>
}

const SAME_SITE = { strict: "Strict", lax: "Lax", none: "None" } as const

const toContextCookie = (cookie: OutgoingCookie, origin: string): ContextCookie => ({
  name: cookie.name,
  value: cookiePair(cookie).slice(cookie.name.length + 1),
  ...readAttributes(cookie, origin),
})

const readAttributes = ({ options }: OutgoingCookie, origin: string): Omit<ContextCookie, "name" | "value"> => ({
  domain: options.domain ?? new URL(origin).hostname,
  path: options.path ?? "/",
  httpOnly: options.httpOnly ?? false,
  secure: options.secure ?? false,
  sameSite: SAME_SITE[options.sameSite === true ? "strict" : options.sameSite || "lax"],
})

export const playwrightCookieJar = (context: PlaywrightContext): CookieJar => ({
  origin: undefined,
  app: undefined,
  async read(origin) {
    const cookies = await context.cookies(origin)
    return cookies.map(({ name, value }) => `${name}=${value}`).join("; ")
  },
  store: (cookie, origin) =>
    isCleared(cookie)
      ? context.clearCookies({ name: cookie.name })
      : context.addCookies([toContextCookie(cookie, origin)]),
})
