/**
 * Checks the running application through the proxies in front of it, with the option `--url`.
 *
 * @module
 */
import { clockFinding, type DoctorContext, type DoctorFinding, fail, ok, skip, skipOffline, warn } from "./check.js"
import { type RecordedResponse, secondsAhead } from "./responses.js"
import { checkSetCookies } from "./set-cookie.js"
import { FOREIGN_HOST, readLocation, readSignInUrls, type SiteResponses } from "./site.js"

/** Returns the origin of the links in a response of `/providers`; undefined if there are no links. */
function readLinkOrigin(response: RecordedResponse): string | undefined {
  const [url] = readSignInUrls(response) ?? []
  return url && new URL(url).origin
}

const TRUST_PROXY = 'app.set("trust proxy", 1)'
const REDIRECT_TO_HTTPS = "return 301 https://$host$request_uri;"

/** Returns the finding about links whose origin is not the requested one. */
function originFinding({ origin, host }: URL, links: URL): DoctorFinding {
  const seen = `requested ${origin}, links to ${links.origin}`
  if (links.host !== host)
    return fail("wrong-origin", origin, {
      seen,
      fix: `AUTH_URL=${origin}\nor in the proxy: proxy_set_header Host $http_host; and ${TRUST_PROXY}`,
    })
  if (links.protocol === "https:")
    return warn("http-served", origin, {
      seen,
      fix: `npx latchkey doctor --url ${links.origin}\nand in the proxy: ${REDIRECT_TO_HTTPS}`,
    })
  return fail("untrusted-proxy", origin, {
    cause:
      "the application thinks it is served over http: `trust proxy` is off, or the TLS-terminating proxy does not send X-Forwarded-Proto",
    seen,
    fix: `${TRUST_PROXY}\nand in the proxy: proxy_set_header X-Forwarded-Proto $scheme;`,
  })
}

/** Checks that the links of the application have the origin that was requested. */
export function checkOrigin({ base, providers }: Pick<SiteResponses, "base" | "providers">): DoctorFinding[] {
  const { origin } = new URL(base)
  const linkOrigin = readLinkOrigin(providers)
  if (linkOrigin === undefined) return []
  if (linkOrigin === origin) return [ok("wrong-origin", origin, "the application uses this address for its links")]
  return [originFinding(new URL(origin), new URL(linkOrigin))]
}

/** Checks that `X-Forwarded-*` headers from a client do not change the links of the application. */
export function checkForwarded(site: Pick<SiteResponses, "base" | "forwarded" | "providers">): DoctorFinding[] {
  const { origin, host } = new URL(site.base)
  const [normalOrigin, spoofedOrigin] = [readLinkOrigin(site.providers), readLinkOrigin(site.forwarded)]
  if (normalOrigin === undefined) return []
  const code = "forwarded-headers-trusted"
  if (site.forwarded.status === 400)
    return [ok(code, origin, "a request whose X-Forwarded headers name another host is refused")]
  if (spoofedOrigin === undefined) return []
  if (spoofedOrigin === normalOrigin) return [ok(code, origin, "X-Forwarded headers of a visitor have no effect")]
  const seen = `a request with X-Forwarded-Host: ${FOREIGN_HOST} returned links to ${spoofedOrigin}`
  const fix = `AUTH_URL=${origin}\nor trustHost: ["${host}"], and in the proxy: proxy_set_header X-Forwarded-Host "";`
  return [fail(code, origin, { seen, fix })]
}

const CACHE_HEADERS = ["age", "cf-cache-status", "x-cache", "x-cache-status", "x-proxy-cache", "x-vercel-cache"]

const showsCacheHit = ([name, value]: readonly [string, string]): boolean =>
  name === "age" ? Number(value) > 0 : /\bhit\b/i.test(value)

/** Checks that no cache stores the session response, because the next visitor would receive it. */
export function checkCaches({ base, session }: Pick<SiteResponses, "base" | "session">): DoctorFinding[] {
  const { pathname } = new URL(base)
  const subject = `${pathname}/session`
  const cacheHeader = CACHE_HEADERS.map((name) => [name, session.headers.get(name) ?? ""] as const).find(showsCacheHit)
  if (cacheHeader) {
    const fix = `disable caching of ${pathname}/ in the CDN or the proxy`
    return [fail("session-cached", subject, { seen: cacheHeader.join(": "), fix })]
  }
  const control = session.headers.get("cache-control") ?? ""
  if (/no-store/i.test(control)) return [ok("session-cached", subject, "no cache stores the session")]
  const fix = `configure the proxy to pass on Cache-Control for ${pathname}/`
  return [fail("cache-control-stripped", subject, { seen: `Cache-Control: ${control || "none"}`, fix })]
}

/** Checks that an https site redirects or refuses requests over http. Reports an http site in production. */
export function checkHttps(
  { base, plainHttp }: Pick<SiteResponses, "base" | "plainHttp">,
  isProduction: boolean,
): DoctorFinding[] {
  const { origin, protocol } = new URL(base)
  const enableTls = "enable TLS in the proxy in front of the application"
  if (protocol === "http:") return isProduction ? [fail("https-missing", origin, { fix: enableTls })] : []
  if (!plainHttp) return [ok("http-served", origin, "no server listens on http")]
  // nginx responds with 400 to plain HTTP on a TLS port.
  if (plainHttp.status === 400) return [ok("http-served", origin, "plain http is refused")]
  const fix = REDIRECT_TO_HTTPS
  const target = readLocation(plainHttp)
  if (target === undefined) return [warn("http-served", origin, { seen: `status ${plainHttp.status} on http`, fix })]
  if (target.startsWith("https:")) return [ok("http-served", origin, "http redirects to https")]
  return [fail("redirect-loop", origin, { seen: `${plainHttp.status} to ${target}`, fix })]
}

const LIMIT_HEADERS = ["ratelimit", "ratelimit-limit", "x-ratelimit-limit", "ratelimit-policy"]

function checkLimitHeaders({ base, providers }: SiteResponses): DoctorFinding[] {
  const found = LIMIT_HEADERS.filter((name) => providers.headers.has(name)).slice(0, 1)
  const note = "a proxy in front of the application limits requests: its responses have the header"
  return found.map((name) => ok("rate-limit-off", new URL(base).origin, `${note} ${name}`))
}

function missingSignInFinding(
  url: string,
  tried: readonly RecordedResponse[],
  { resolved }: DoctorContext,
): DoctorFinding {
  const targets = tried.map(readLocation)
  const seen = tried
    .map((response, i) => `${response.url} ${response.status}${targets[i] ? ` to ${targets[i]}` : ""}`)
    .join("; ")
  if (targets.at(-1) !== undefined)
    return fail("redirect-loop", url, {
      seen,
      fix: 'send X-Forwarded-Proto from the proxy, and set app.set("trust proxy", 1) in the application that redirects to https',
    })
  const target = targets.find((address) => address !== undefined)
  if (target !== undefined)
    return warn("site-redirects", url, { seen, fix: `npx latchkey doctor --url ${new URL(target).origin}` })
  const mountHint = resolved.basePath ? `, which serves ${resolved.basePath}` : ""
  return fail("mount-mismatch", url, {
    cause: "no sign-in was found at this address",
    seen,
    fix: `mount the middleware${mountHint}: app.use(authMiddleware(config)); or pass --url with the path at which it is mounted`,
  })
}

function checkResponses(site: SiteResponses, { resolved }: DoctorContext): DoctorFinding[] {
  return [
    ...checkOrigin(site),
    ...checkForwarded(site),
    ...checkHttps(site, resolved.isProduction),
    ...checkSetCookies(site.csrf.headers.getSetCookie(), site.base),
    ...checkCaches(site),
    ...clockFinding(new URL(site.base).origin, secondsAhead(site.csrf)),
    ...checkLimitHeaders(site),
  ]
}

/** Checks the responses of the running site. */
export function checkSite(context: DoctorContext): DoctorFinding[] {
  const { site, options } = context
  const hint = "pass the site's address to check proxies, cookies and caches: --url https://example.com"
  if (options.url === undefined) return [skip("untrusted-proxy", "--url", hint)]
  if (!site) return [skipOffline("site-unreachable", "--url")]
  if ("base" in site) return checkResponses(site, context)
  return "tried" in site
    ? [missingSignInFinding(options.url, site.tried, context)]
    : [fail("site-unreachable", options.url, { seen: site.failure })]
}
