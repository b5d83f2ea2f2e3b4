/**
 * Where a browser may be sent. Every `Location` that has anything to do with user input passes here.
 *
 * @module
 */

const parse = (text: string, base?: string): URL | undefined =>
  URL.canParse(text, base) ? new URL(text, base) : undefined

const isWeb = (url: URL): boolean => url.protocol === "https:" || url.protocol === "http:"

/** Nobody lands on a longer one: it is kept in cookies, and servers refuse requests whose headers are long. */
export const MAX_CALLBACK_URL_LENGTH = 1024

/** Is this a URL that a client may ask to land on: absolute http(s), or a path that starts with "/"? */
export function isCallbackUrl(text: string): boolean {
  if (text.startsWith("/")) return parse(text, "http://localhost") !== undefined
  const url = parse(text)
  return url !== undefined && isWeb(url)
}

/**
 * The `redirect` callback that applies unless the application has its own: paths and URLs of this site stay, anything
 * else becomes its front page. What counts is how a browser reads the text (WHATWG URL), not how it begins: `//evil`,
 * `/\evil` and `/<tab>/evil` name other hosts.
 */
export function sameOriginOrBase({ url, baseUrl }: { url: string; baseUrl: string }): string {
  const target = url.startsWith("/") ? parse(baseUrl + url) : parse(url)
  if (!target || !isWeb(target) || target.origin !== new URL(baseUrl).origin) return baseUrl
  if (target.username || target.password) return baseUrl
  const path = target.pathname.replace(/^\/{2,}/, "/")
  if (path !== target.pathname) target.pathname = path
  else if (PLAIN.test(url)) return url.startsWith("/") ? baseUrl + url : url
  return target.href
}

/** Text that every parser reads alike, wherever it stands: a path or a whole URL in printable ASCII, no backslash. */
const PLAIN = /^(?:\/|https?:\/\/)[!-[\]-~]*$/i

const REDIRECT_ADVICE = "Return a URL or a path in every case: redirect: ({ url, baseUrl }) => url"

/**
 * What an application's function returned as a place to go, made absolute. Any host is the application's own decision;
 * a scheme that runs code in the browser is not.
 *
 * @throws TypeError when it is no URL or would run code
 */
export function requireTarget(text: string, origin: string): string {
  // Without a compiler it may have returned nothing: "undefined" is a path to a URL parser.
  const returned: unknown = text
  if (returned instanceof URL) return requireTarget(returned.href, origin)
  if (typeof returned !== "string")
    throw new TypeError(
      `callbacks.redirect returned ${returned === null ? "null" : typeof returned}. ${REDIRECT_ADVICE}`,
    )
  const url = parse(text, origin)
  if (!url || ["javascript:", "data:", "vbscript:", "blob:"].includes(url.protocol))
    throw new TypeError(`callbacks.redirect returned no URL of a page. ${REDIRECT_ADVICE}`)
  // An origin alone stays as it was written.
  return url.href === `${text}/` ? text : url.href
}

/** A page's address with query parameters added: keeps those it has, and takes paths and absolute URLs alike. */
export function pageUrl(page: string, origin: string, params: Record<string, string | undefined> = {}): string {
  const url = new URL(page, origin)
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
