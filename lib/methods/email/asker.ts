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
import { isEqualText, randomHex, sha256Base64url } from "../../security/tokens.js"
import type { ReadyEmail } from "./prepare.js"

/** Seals of an asker open for nothing else. */
const PURPOSE = "latchkey.mail"
/** One cookie: what was asked for last counts. */
const PART = "mail"

const markOf = (token: string, provider: ReadyEmail): string => sha256Base64url(`${provider.id}\n${token}`)

function put(link: string, { maxAgeSeconds }: ReadyEmail, runtime: Runtime): CookieChange {
  const value = seal({ link }, runtime.keys.for(PURPOSE), maxAgeSeconds, runtime.now())
  const expires = new Date(runtime.now() + maxAgeSeconds * 1000)
  return { put: "state", part: PART, value, expires, maxAgeSeconds }
}

/** Marks the browser as the one that asked for this link. */
export const markAsker = (token: string, provider: ReadyEmail, runtime: Runtime): CookieChange =>
  put(markOf(token, provider), provider, runtime)

/** The same where no mail was sent: the answer looks alike, and a link from before still counts. */
export const renewMark = (call: AuthCall, provider: ReadyEmail, runtime: Runtime): CookieChange =>
  put(readMark(call, runtime) ?? markOf(randomHex(), provider), provider, runtime)

export const forgetAsker: CookieChange = { drop: "state", part: PART }

/** The mark in this browser, when we have put it there. */
function readMark(call: AuthCall, runtime: Runtime): string | undefined {
  const value = call.cookies[`${call.cookieSet.state.name}.${PART}`]
  if (!value) return undefined
  try {
    const { link } = open(value, runtime.keys.for(PURPOSE), runtime.now())
    return typeof link === "string" ? link : undefined
  } catch {
    return undefined
  }
}

/** Did this browser ask for the link? */
export function isAsker(call: AuthCall, token: string, provider: ReadyEmail, runtime: Runtime): boolean {
  const link = readMark(call, runtime)
  return link !== undefined && isEqualText(link, markOf(token, provider))
}

/** Does somebody look ahead, before the person has decided anything? */
const isPrefetch = ({ headers }: AuthCall): boolean =>
  ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ""),
  )

/** Does the person's own browser open the link that it asked for? */
export const isOpenedByAsker = (call: AuthCall, token: string, provider: ReadyEmail, runtime: Runtime): boolean =>
  !isPrefetch(call) && isAsker(call, token, provider, runtime)
