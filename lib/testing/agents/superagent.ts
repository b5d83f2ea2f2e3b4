import { Server as TlsServer } from "node:tls"
import type { OutgoingCookie } from "../../http/cookies.js"
import { type CookieKeeper, isDropped, pairOf } from "./keeper.js"

/** An agent of supertest, `request.agent(app)`, or of superagent, by what is used of it. */
export interface SuperagentAgent {
  /** Its cookies. */
  readonly jar: {
    setCookie(cookie: string, domain: string, path: string): unknown
    getCookies(access: { domain: string; path: string; secure: boolean; script: boolean }): { toValueString(): string }
  }
}

/** What supertest listens at; it takes an address too. */
function originOf(app: unknown): string | undefined {
  if (typeof app === "string") return URL.canParse(app) ? new URL(app).origin : undefined
  if (app === undefined) return undefined
  return app instanceof TlsServer ? "https://127.0.0.1" : "http://127.0.0.1"
}

/** Over plain http the jar would keep a secure cookie to itself: a test is the one place where it may travel so. */
function headerOf(cookie: OutgoingCookie, origin: string): string {
  const { path = "/", secure } = cookie.options
  // This jar knows no Max-Age.
  const end = isDropped(cookie) ? `; Expires=${new Date(0).toUTCString()}` : ""
  return `${pairOf(cookie)}; Path=${path}${secure && origin.startsWith("https:") ? "; Secure" : ""}${end}`
}

export function superagentKeeper(agent: SuperagentAgent): CookieKeeper {
  const { jar } = agent
  const app: unknown = Reflect.get(agent, "app")
  return {
    origin: originOf(app),
    app,
    read: (origin) =>
      jar.getCookies({ domain: new URL(origin).hostname, path: "/", secure: true, script: false }).toValueString(),
    take: (cookie, origin) => jar.setCookie(headerOf(cookie, origin), new URL(origin).hostname, "/"),
  }
}
