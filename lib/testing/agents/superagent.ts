import { Server as TlsServer } from "node:tls"
import type { OutgoingCookie } from "../../http/cookies.js"
import { type CookieJar, cookiePair, isCleared } from "./cookie-jar.js"

/** The members of an agent of supertest (`request.agent(app)`) or superagent that are used here. */
export interface SuperagentAgent {
  /** The cookies of the agent. */
  readonly jar: {
    setCookie(cookie: string, domain: string, path: string): unknown
    getCookies(access: { domain: string; path: string; secure: boolean; script: boolean }): { toValueString(): string }
  }
}

/** Returns the origin that supertest uses for an application or a URL; undefined if it is unknown. */
function readOrigin(app: unknown): string | undefined {
  if (typeof app === "string") return URL.canParse(app) ? new URL(app).origin : undefined
  if (app === undefined) return undefined
  return app instanceof TlsServer ? "https://127.0.0.1" : "http://127.0.0.1"
}

/**
 * Returns the `Set-Cookie` header of a cookie. Over http the header has no `Secure` attribute, because the jar would
 * not send a secure cookie.
 */
function setCookieHeader(cookie: OutgoingCookie, origin: string): string {
  const { path = "/", secure } = cookie.options
  // This jar ignores Max-Age.
  const expiry = isCleared(cookie) ? `; Expires=${new Date(0).toUTCString()}` : ""
  return `${cookiePair(cookie)}; Path=${path}${secure && origin.startsWith("https:") ? "; Secure" : ""}${expiry}`
}

export function superagentCookieJar(agent: SuperagentAgent): CookieJar {
  const { jar } = agent
  const app: unknown = Reflect.get(agent, "app")
  return {
    origin: readOrigin(app),
    app,
    read: (origin) =>
      jar.getCookies({ domain: new URL(origin).hostname, path: "/", secure: true, script: false }).toValueString(),
    store: (cookie, origin) => jar.setCookie(setCookieHeader(cookie, origin), new URL(origin).hostname, "/"),
  }
}
