/**
 * The browser that asked for a link: it alone signs in by opening it. A forwarded link, a mail scanner or another
 * device is asked first.
 *
 * @module
 */
import type { AuthCall } from "../../http/call.js"
import type { CookieChange } from "../../http/cookies.js"
import type { Runtime } from "../../runtime.js"
import { open, seal } from "../../security/jwe.js"
import { isEqualText, sha256Base64url } from "../../security/tokens.js"
import type { ReadyEmail } from "./prepare.js"

/** Seals of an asker open for nothing else. */
const PURPOSE = "latchkey.mail"
/** One cookie: what was asked for last counts. */
const PART = "mail"

const markOf = (token: string, provider: ReadyEmail): string => sha256Base64url(`${provider.id}\n${token}`)

/** Marks the browser as the one that asked for this link. */
export function markAsker(token: string, provider: ReadyEmail, runtime: Runtime): CookieChange {
  const { maxAgeSeconds } = provider
  const value = seal({ link: markOf(token, provider) }, runtime.keys.for(PURPOSE), maxAgeSeconds, runtime.now())
  const expires = new Date(runtime.now() + maxAgeSeconds * 1000)
  return { put: "state", part: PART, value, expires, maxAgeSeconds }
}

export const forgetAsker: CookieChange = { drop: "state", part: PART }

/** Did this browser ask for the link? */
export function isAsker(call: AuthCall, token: string, provider: ReadyEmail, runtime: Runtime): boolean {
  const value = call.cookies[`${call.cookieSet.state.name}.${PART}`]
  if (!value) return false
  try {
    const { link } = open(value, runtime.keys.for(PURPOSE), runtime.now())
    return typeof link === "string" && isEqualText(link, markOf(token, provider))
  } catch {
    return false
  }
}

/** Does somebody look ahead, before the person has decided anything? */
const isPrefetch = ({ headers }: AuthCall): boolean =>
  ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ""),
  )

/** Does the person's own browser open the link that it asked for? */
export const isOpenedByAsker = (call: AuthCall, token: string, provider: ReadyEmail, runtime: Runtime): boolean =>
  !isPrefetch(call) && isAsker(call, token, provider, runtime)
