/**
 * Checks redirect targets. Every `Location` that depends on user input is checked here.
 *
 * @module
 */

const parseUrl = (text: string, base?: string): URL | undefined =>
  URL.canParse(text, base) ? new URL(text, base) : undefined

const isHttp = (url: URL): boolean => url.protocol === "https:" || url.protocol === "http:"

/** The maximum length of a return URL, which is stored in a cookie: servers reject requests with long headers. */
export const MAX_CALLBACK_URL_LENGTH = 1024

/** True if the text can be a return URL: an absolute http or https URL, or a path that starts with "/". */
export function isCallbackUrl(text: string): boolean {
  if (text.startsWith("/")) return parseUrl(text, "http://localhost") !== undefined
  const url = parseUrl(text)
  return url !== undefined && isHttp(url)
}

/**
 * The default `redirect` callback: returns a path or a URL of this site, and `baseUrl` instead of any other text. The
 * text is parsed as in browsers (WHATWG URL), because browsers resolve `//evil`, `/\evil` and `/<tab>/evil` to other
 * hosts.
 */
export function sameOriginOrBase({ url, baseUrl }: { url: string; baseUrl: string }): string {
  const target = url.startsWith("/") ? parseUrl(baseUrl + url) : parseUrl(url)
  if (!target || !isHttp(target) || target.origin !== new URL(baseUrl).origin) return baseUrl
  if (target.username || target.password) return baseUrl
  const path = target.pathname.replace(/^\/{2,}/, "/")
  if (path !== target.pathname) target.pathname = path
  else if (UNAMBIGUOUS.test(url)) return url.startsWith("/") ? baseUrl + url : url
  return target.href
}

/** Matches text that all parsers read alike: a path or an absolute URL in printable ASCII, without a backslash. */
const UNAMBIGUOUS = /^(?:\/|https?:\/\/)[!-[\]-~]*$/i

const REDIRECT_ADVICE = "Return a URL or a path in every case: redirect: ({ url, baseUrl }) => url"

/**
 * Converts the result of the application's `redirect` callback to an absolute URL. The callback may choose any host,
 * but no scheme that runs code in the browser.
 *
 * @throws TypeError if the result is not a URL, or would run code
 */
export function requireRedirectUrl(text: string, origin: string): string {
  // In JavaScript the callback may return undefined, which a URL parser would read as the path "undefined".
  const returned: unknown = text
  if (returned instanceof URL) return requireRedirectUrl(returned.href, origin)
  if (typeof returned !== "string")
    throw new TypeError(
      `callbacks.redirect returned ${returned === null ? "null" : typeof returned}. ${REDIRECT_ADVICE}`,
    )
  const url = parseUrl(text, origin)
  if (!url || ["javascript:", "data:", "vbscript:", "blob:"].includes(url.protocol))
    throw new TypeError(`callbacks.redirect returned text that is not the URL of a page. ${REDIRECT_ADVICE}`)
  // An origin is returned without the slash that the parser adds.
  return url.href === `${text}/` ? text : url.href
}

/** Returns the URL of a page with additional query parameters. `page` is a path or an absolute URL. */
export function pageUrl(page: string, origin: string, params: Record<string, string | undefined> = {}): string {
  const url = new URL(page, origin)
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
