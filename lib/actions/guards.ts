import type { CookieChange } from "../base/types.js"
import { coded } from "../errors/error-codes.js"
import { InvalidCallbackUrl, MissingCSRF } from "../errors/errors.js"
import type { AuthCall } from "../http/call.js"
import { sentLength } from "../http/cookie-chunks.js"
import { foreignCookieHint, missingCookieHint } from "../http/cookie-hints.js"
import type { PendingFlow } from "../methods/method.js"
import { getOrCreateCsrfToken, isCrossSite, verifyCsrfCookie } from "../security/csrf.js"
import { isCallbackUrl, MAX_CALLBACK_URL_LENGTH, requireRedirectUrl } from "../security/redirects.js"
import { isEqualText } from "../security/tokens.js"
import type { ActionRuntime, RouteGuards } from "./action.js"

/** A call that passed the guards, and the cookies to set with its response. */
export interface GuardedCall {
  readonly call: AuthCall
  readonly cookies: readonly CookieChange[]
}

const readText = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/**
 * Returns the return URL in a form field; undefined if the value is neither a path nor a URL. Any scheme is accepted,
 * because `callbacks.redirect` may allow the scheme of a mobile app.
 */
const parseCallbackUrl = (value: unknown): string | undefined => {
  const text = readText(value)
  return text !== undefined && (text.startsWith("/") || URL.canParse(text)) ? text : undefined
}

/** The hint omits the URL, because the URL may come from an attacker, and a developer could copy it and allow it. */
const FOREIGN_URL_HINT =
  "If that site is yours, send the URL as the form field callbackUrl and allow it in callbacks.redirect: npx latchkey explain callback-url-other-site shows the code"

/**
 * Warns once that the front page replaces a return URL on another origin. Does not warn if the application has its own
 * `callbacks.redirect`, which decides about the URL.
 */
function warnIfForeignUrl(url: string, { origin }: AuthCall, { config, logger, warnedOnce }: ActionRuntime): void {
  if (config.callbacks.redirect || !URL.canParse(url) || new URL(url).origin === origin) return
  if (!warnedOnce.addIfAbsent("callback-url-other-site")) return
  const { protocol, host } = new URL(url)
  const message = `a return URL is on ${protocol}//${host}, which is not this site, so the front page is used instead`
  logger.warn("callback-url-other-site", `${message}. ${FOREIGN_URL_HINT}`)
}

/**
 * Returns the call with its return URL and, if the URL is new, the change that stores the URL in its cookie.
 * `callbacks.redirect` receives the first URL that exists: in the pending flow, in the form, in the query, or in the
 * browser's cookie. With `ignoresStoredUrl`, it receives the front page instead of the URL in the cookie. If there is
 * no URL, or if the URL is too long, the return URL is the front page.
 */
async function resolveCallbackUrl(
  call: AuthCall,
  { flow, ignoresStoredUrl }: { readonly flow: PendingFlow; readonly ignoresStoredUrl: boolean },
  runtime: ActionRuntime,
): Promise<GuardedCall> {
  const { name } = call.cookieSet.callbackUrl
  const stored = call.cookies[name]
  const storedOrFrontPage = ignoresStoredUrl ? call.origin : stored
  const fromQuery = readText(call.query["callbackUrl"])
  if (fromQuery !== undefined && !isCallbackUrl(fromQuery))
    throw new InvalidCallbackUrl("the query parameter callbackUrl is not a valid URL", {
      callbackUrl: fromQuery,
      ...(URL.canParse(fromQuery) && {
        hint: `the query parameter must be a path, or an http: or https: URL. ${FOREIGN_URL_HINT}`,
      }),
    })
  const requested = parseCallbackUrl(call.body["callbackUrl"]) ?? fromQuery
  const preferred =
    flow.callbackUrl ?? requested ?? (stored !== undefined && isCallbackUrl(stored) ? storedOrFrontPage : undefined)
  const candidate = preferred !== undefined && preferred.length <= MAX_CALLBACK_URL_LENGTH ? preferred : undefined
  const target =
    candidate === undefined
      ? call.origin
      : requireRedirectUrl(await runtime.callbacks.redirect({ url: candidate, baseUrl: call.origin }), call.origin)
  // Only a requested URL causes the warning. A stored URL was checked when it was requested, and could cause a false
  // warning: under supertest, for example, its port differs from the port of this request.
  if (candidate !== undefined && candidate === requested) warnIfForeignUrl(candidate, call, runtime)
  // The target may be longer than the candidate: percent-encoding makes non-ASCII text up to nine times longer.
  const callbackUrl = target.length <= MAX_CALLBACK_URL_LENGTH ? target : call.origin
  return {
    call: { ...call, callbackUrl },
    cookies: callbackUrl === stored ? [] : [storeUrl(callbackUrl, call, runtime)],
  }
}

/**
 * Returns the change that stores the return URL in its cookie. If all cookies together would exceed `maxCookieSize`,
 * the cookie is cleared, and only the forms carry the URL: a link with a long URL could otherwise make every later
 * request larger than proxies accept.
 */
function storeUrl(value: string, call: AuthCall, { config }: ActionRuntime): CookieChange {
  const { name } = call.cookieSet.callbackUrl
  const stored = call.cookies[name]
  const otherLength = (call.cookieHeader?.length ?? 0) - (stored === undefined ? 0 : sentLength(name, stored))
  const hasRoom = otherLength + sentLength(name, value) <= config.session.maxCookieSize
  return hasRoom ? { put: "callbackUrl", value } : { drop: "callbackUrl" }
}

/** Returns the change that clears the cookie with the return URL, if the URL is invalid. */
function dropInvalidUrl(call: AuthCall): CookieChange[] {
  const stored = call.cookies[call.cookieSet.callbackUrl.name]
  return stored === undefined || isCallbackUrl(stored) ? [] : [{ drop: "callbackUrl" }]
}

function withCsrfToken(call: AuthCall, runtime: ActionRuntime): GuardedCall {
  const sentCookie = call.cookies[call.cookieSet.csrfToken.name]
  const { token, cookie } = getOrCreateCsrfToken(sentCookie, runtime.keys.secrets)
  return {
    call: { ...call, csrfToken: token },
    cookies: cookie === sentCookie ? [] : [{ put: "csrfToken", value: cookie }],
  }
}

/** Rejects a cross-site POST, according to the `Sec-Fetch-Site` and `Origin` headers. */
function requireSameSite(call: AuthCall): void {
  const { host } = new URL(call.origin)
  if (isCrossSite(call.headers, host))
    throw coded(
      "cross-site-post",
      new MissingCSRF(`a POST was sent by a site other than ${host}, which is the host of this application`, {
        site: call.headers.get("sec-fetch-site"),
        origin: call.headers.get("origin"),
      }),
    )
}

const TOKEN_HINT = "put res.locals.auth.csrfField() into the form, or send the token from GET /csrf as csrfToken"

const CACHE_HINT =
  "the page with the form came from a cache (such as a CDN or a service worker) or from an old tab: exclude pages with forms, and all paths below the base path, from caching"

const COOKIE_HINT =
  'the form has a token, but the browser sent no CSRF cookie: cookies are blocked, a cache served the page without its Set-Cookie, or a script sends no cookies (set credentials: "include")'

function createMissingCookieError(call: AuthCall): MissingCSRF {
  const hint = missingCookieHint(call) ?? (typeof call.body["csrfToken"] === "string" ? COOKIE_HINT : TOKEN_HINT)
  const error = new MissingCSRF("a POST has no CSRF cookie", { action: call.action, hint })
  return coded("csrf-cookie-missing", error)
}

/** Rejects a POST that was not sent by a page of this site. */
function requireCsrf(call: AuthCall, runtime: ActionRuntime): void {
  requireSameSite(call)
  const cookie = call.cookies[call.cookieSet.csrfToken.name]
  const expected = verifyCsrfCookie(cookie, runtime.keys.secrets)
  const sentToken = call.body["csrfToken"]
  const { action } = call
  if (cookie === undefined) throw createMissingCookieError(call)
  if (expected === undefined)
    throw coded(
      "csrf-cookie-foreign",
      new MissingCSRF("a POST has a CSRF cookie that was not set by this application", {
        action,
        hint: foreignCookieHint("csrfToken"),
      }),
    )
  if (typeof sentToken !== "string") throw new MissingCSRF("a POST has no csrfToken", { action, hint: TOKEN_HINT })
  if (!isEqualText(sentToken, expected))
    throw coded(
      "csrf-token-wrong",
      new MissingCSRF("a POST has a csrfToken that does not match this browser's CSRF cookie", {
        action,
        hint: CACHE_HINT,
      }),
    )
}

/** Runs a route's guards: checks CSRF, issues a CSRF token and resolves the return URL. */
export async function applyGuards(
  call: AuthCall,
  guards: RouteGuards | undefined,
  flow: PendingFlow,
  runtime: ActionRuntime,
): Promise<GuardedCall> {
  if (!guards) return { call, cookies: [] }
  const skipsCsrf = runtime.config.skipsCsrfCheck
  if (guards.needsCsrf && !skipsCsrf) requireCsrf(call, runtime)
  else if (guards.refusesCrossSite && !skipsCsrf) requireSameSite(call)
  const csrf = guards.issuesCsrfToken && !skipsCsrf ? withCsrfToken(call, runtime) : { call, cookies: [] }
  if (!guards.hasCallbackUrl) return { call: csrf.call, cookies: [...csrf.cookies, ...dropInvalidUrl(call)] }
  const resolved = await resolveCallbackUrl(
    csrf.call,
    { flow, ignoresStoredUrl: guards.ignoresStoredUrl === true },
    runtime,
  )
  return { call: resolved.call, cookies: [...csrf.cookies, ...resolved.cookies] }
}
