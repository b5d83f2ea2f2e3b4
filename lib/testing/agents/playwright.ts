import type { OutgoingCookie } from "../../http/cookies.js"
import { type CookieKeeper, isDropped, pairOf } from "./keeper.js"

/** A cookie as Playwright takes it. */
export interface ContextCookie {
  /** The cookie's name. */
  name: string
  /** The cookie's value. */
  value: string
  /** The host that receives it. */
  domain: string
  /** The path below which it is sent. */
  path: string
  /** Hidden from scripts. */
  httpOnly: boolean
  /** Sent over https only. */
  secure: boolean
  /** Which requests of other sites carry it. */
  sameSite: "Strict" | "Lax" | "None"
}

/** A `BrowserContext` of Playwright, by what is used of it. */
export interface PlaywrightContext {
  /** Where the session's cookies are put. */
  addCookies(cookies: readonly ContextCookie[]): Promise<unknown>
  /** Where they are read again. */
  cookies(urls?: string | string[]): Promise<readonly { name: string; value: string }[]>
  /** How one of them is dropped. */
  clearCookies(options?: { name?: string }): Promise<unknown>
}

const SAME_SITE = { strict: "Strict", lax: "Lax", none: "None" } as const

const toContextCookie = (cookie: OutgoingCookie, origin: string): ContextCookie => ({
  name: cookie.name,
  value: pairOf(cookie).slice(cookie.name.length + 1),
  ...attributesOf(cookie, origin),
})

const attributesOf = ({ options }: OutgoingCookie, origin: string): Omit<ContextCookie, "name" | "value"> => ({
  domain: options.domain ?? new URL(origin).hostname,
  path: options.path ?? "/",
  httpOnly: options.httpOnly ?? false,
  secure: options.secure ?? false,
  sameSite: SAME_SITE[options.sameSite === true ? "strict" : options.sameSite || "lax"],
})

export const playwrightKeeper = (context: PlaywrightContext): CookieKeeper => ({
  origin: undefined,
  app: undefined,
  async read(origin) {
    const cookies = await context.cookies(origin)
    return cookies.map(({ name, value }) => `${name}=${value}`).join("; ")
  },
  take: (cookie, origin) =>
    isDropped(cookie)
      ? context.clearCookies({ name: cookie.name })
      : context.addCookies([toContextCookie(cookie, origin)]),
})
