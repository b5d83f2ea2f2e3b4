import { coded } from "../error-codes.js"
import { InvalidCallbackUrl, MissingCSRF } from "../errors.js"
import type { AuthCall } from "../http/call.js"
import { foreignCookieHint, missingCookieHint } from "../http/cookie-hints.js"
import { sentLength } from "../http/cookie-parts.js"
import type { CookieChange } from "../http/cookies.js"
import type { Runtime } from "../runtime.js"
import { csrfTokenOf, isCrossSite, readCsrfCookie } from "../security/csrf.js"
import { isCallbackUrl, MAX_CALLBACK_URL_LENGTH, requireTarget } from "../security/redirects.js"
import { isEqualText } from "../security/tokens.js"
import type { Gate, Leftover } from "./action.js"

/** A call that was let in, and the cookies that letting it in takes. */
export interface Admitted {
  readonly call: AuthCall
  readonly cookies: readonly CookieChange[]
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** A form's own address to go to: any URL, since an application's `redirect` may know schemes of its own. */
const urlOf = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text !== undefined && (text.startsWith("/") || URL.canParse(text)) ? text : undefined
}

/** No line to copy that names the place: a stranger's link may have asked for it. */
const ELSEWHERE_HINT =
  "If that place is yours, send it as the field callbackUrl of the form, and name it in callbacks.redirect: npx latchkey explain callback-url-elsewhere has the lines"

/** Says once that people who want to go elsewhere land on the front page: nothing shows it to whoever wonders why. */
function noticeElsewhere(url: string, { origin }: AuthCall, { config, logger, said }: Runtime): void {
  if (config.callbacks.redirect || !URL.canParse(url) || new URL(url).origin === origin) return
  if (!said.claim("callback-url-elsewhere")) return
  const { protocol, host } = new URL(url)
  const message = `somebody was to land on ${protocol}//${host}, which is not this site, and lands on the front page`
  logger.warn("callback-url-elsewhere", `${message}. ${ELSEWHERE_HINT}`)
}

/** Where the person wants to go: what the call says, else what the browser kept; anything else is the front page. */
async function resolveCallbackUrl(
  call: AuthCall,
  { leftover, ignoresKeptUrl }: { readonly leftover: Leftover; readonly ignoresKeptUrl: boolean },
  runtime: Runtime,
): Promise<Admitted> {
  const { name } = call.cookieSet.callbackUrl
  const kept = call.cookies[name]
  const fallback = ignoresKeptUrl ? call.origin : kept
  const asked = textOf(call.query["callbackUrl"])
  if (asked !== undefined && !isCallbackUrl(asked))
    throw new InvalidCallbackUrl("the callbackUrl of the query is no URL", {
      callbackUrl: asked,
      ...(URL.canParse(asked) && { hint: `in a query it is http: or https:. ${ELSEWHERE_HINT}` }),
    })
  const wanted =
    leftover.callbackUrl ??
    urlOf(call.body["callbackUrl"]) ??
    asked ??
    (kept !== undefined && isCallbackUrl(kept) ? fallback : undefined)
  const candidate = wanted !== undefined && wanted.length <= MAX_CALLBACK_URL_LENGTH ? wanted : undefined
  const target =
    candidate === undefined
      ? call.origin
      : requireTarget(await runtime.callbacks.redirect({ url: candidate, baseUrl: call.origin }), call.origin)
  if (candidate !== undefined) noticeElsewhere(candidate, call, runtime)
  // Written as a URL, other alphabets take nine times as much.
  const callbackUrl = target.length <= MAX_CALLBACK_URL_LENGTH ? target : call.origin
  return { call: { ...call, callbackUrl }, cookies: callbackUrl === kept ? [] : [keepUrl(callbackUrl, call, runtime)] }
}

/**
 * Stores the return URL in its cookie. Without room for it the forms alone carry it: a link with a long one would make
 * every request of a browser with a large session larger than proxies accept.
 */
function keepUrl(value: string, call: AuthCall, { config }: Runtime): CookieChange {
  const { name } = call.cookieSet.callbackUrl
  const kept = call.cookies[name]
  const others = (call.cookieHeader?.length ?? 0) - (kept === undefined ? 0 : sentLength(name, kept))
  const hasRoom = others + sentLength(name, value) <= config.session.maxCookieSize
  return hasRoom ? { put: "callbackUrl", value } : { drop: "callbackUrl" }
}

/** A kept address that is none, planted by somebody or cut short, is of no use to anybody. */
function dropUnusable(call: AuthCall): CookieChange[] {
  const kept = call.cookies[call.cookieSet.callbackUrl.name]
  return kept === undefined || isCallbackUrl(kept) ? [] : [{ drop: "callbackUrl" }]
}

/** The browser's token, made when it has none. */
function withCsrfToken(call: AuthCall, runtime: Runtime): Admitted {
  const held = call.cookies[call.cookieSet.csrfToken.name]
  const { token, cookie } = csrfTokenOf(held, runtime.keys.secrets)
  return { call: { ...call, csrfToken: token }, cookies: cookie === held ? [] : [{ put: "csrfToken", value: cookie }] }
}

/** Refuses what another site has made the browser send, by the browser's own word. */
function requireSameSite(call: AuthCall): void {
  const { host } = new URL(call.origin)
  if (isCrossSite(call.headers, host))
    throw coded(
      "cross-site-post",
      new MissingCSRF(`a POST came from another site than ${host}, which is this site as the application sees it`, {
        site: call.headers.get("sec-fetch-site"),
        origin: call.headers.get("origin"),
      }),
    )
}

const TOKEN_HINT = "put res.locals.auth.csrfField() into the form, or send what GET /csrf answers as csrfToken"

const CACHE_HINT =
  "the page with the form was kept by a cache, a CDN or a service worker for instance, or in an old tab: keep pages with forms, and everything below the base path, out of caches"

const COOKIE_HINT =
  'the form has a token and the browser sent no cookie for it: cookies are blocked, a cache in front has kept the page without its Set-Cookie, or a script sends none (credentials: "include")'

function csrfCookieMissing(call: AuthCall): MissingCSRF {
  const hint = missingCookieHint(call) ?? (typeof call.body["csrfToken"] === "string" ? COOKIE_HINT : TOKEN_HINT)
  const error = new MissingCSRF("a POST came without the CSRF cookie", { action: call.action, hint })
  return coded("csrf-cookie-missing", error)
}

/** Refuses what no page of this site has sent. */
function requireCsrf(call: AuthCall, runtime: Runtime): void {
  requireSameSite(call)
  const held = call.cookies[call.cookieSet.csrfToken.name]
  const token = readCsrfCookie(held, runtime.keys.secrets)
  const sent = call.body["csrfToken"]
  const { action } = call
  if (held === undefined) throw csrfCookieMissing(call)
  if (token === undefined)
    throw coded(
      "csrf-cookie-foreign",
      new MissingCSRF("a POST came with a CSRF cookie that is not ours", {
        action,
        hint: foreignCookieHint("csrfToken"),
      }),
    )
  if (typeof sent !== "string") throw new MissingCSRF("a POST came without csrfToken", { action, hint: TOKEN_HINT })
  if (!isEqualText(sent, token))
    throw coded(
      "csrf-token-wrong",
      new MissingCSRF("a POST came with a csrfToken that is not this browser's", { action, hint: CACHE_HINT }),
    )
}

/** Lets a call in as its route asks, with what an earlier one left for it. */
export async function admit(
  call: AuthCall,
  gate: Gate | undefined,
  leftover: Leftover,
  runtime: Runtime,
): Promise<Admitted> {
  if (!gate) return { call, cookies: [] }
  const skips = runtime.config.skipsCsrfCheck
  if (gate.needsCsrf && !skips) requireCsrf(call, runtime)
  else if (gate.refusesCrossSite && !skips) requireSameSite(call)
  const csrf = gate.givesCsrf && !skips ? withCsrfToken(call, runtime) : { call, cookies: [] }
  if (!gate.hasCallbackUrl) return { call: csrf.call, cookies: [...csrf.cookies, ...dropUnusable(call)] }
  const resolved = await resolveCallbackUrl(
    csrf.call,
    { leftover, ignoresKeptUrl: gate.ignoresKeptUrl === true },
    runtime,
  )
  return { call: resolved.call, cookies: [...csrf.cookies, ...resolved.cookies] }
}
