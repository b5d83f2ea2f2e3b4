import { asError } from "../../errors/errors.js"
import { clockFinding } from "./clock.js"
import type { DoctorContext } from "./context.js"
import { type Check, type DoctorFinding, fail, ok, skip, warn } from "./finding.js"
import { type RecordedResponse, secondsAhead } from "./recording-fetch.js"
import { checkSetCookies } from "./set-cookie.js"
import { askSite, FOREIGN_HOST, readLocation, readSignInUrls, type Site } from "./site.js"

const listLinkOrigins = (response: RecordedResponse): string[] => [
  ...new Set((readSignInUrls(response) ?? []).map((url) => new URL(url).origin)),
]

/** Checks the links that the application creates: they must lead to the requested address. */
export function checkOrigin({ base, providers }: Pick<Site, "base" | "providers">): DoctorFinding[] {
  const requested = new URL(base)
  const [linked] = listLinkOrigins(providers)
  if (linked === undefined) return []
  if (linked === requested.origin)
    return [ok("wrong-origin", requested.origin, "the application uses this address for its links")]
  const seen = `requested ${requested.origin}, links to ${linked}`
  const differsInScheme = new URL(linked).host === requested.host
  return [
    differsInScheme
      ? fail(
          "untrusted-proxy",
          requested.origin,
          "the application thinks it is served over http: `trust proxy` is off, or the TLS-terminating proxy does not send X-Forwarded-Proto",
          {
            seen,
            fix: `app.set("trust proxy", 1)\nand in the proxy: proxy_set_header X-Forwarded-Proto $scheme;`,
          },
        )
      : fail(
          "wrong-origin",
          requested.origin,
          "links and redirect URIs lead to another address than the one that users visit",
          {
            seen,
            fix: `AUTH_URL=${requested.origin}\nor in the proxy: proxy_set_header Host $http_host; and app.set("trust proxy", 1)`,
          },
        ),
  ]
}

/** Checks that the application ignores `X-Forwarded-*` headers that a visitor sends. */
export function checkForwarded({
  base,
  forwarded,
  providers,
}: Pick<Site, "base" | "forwarded" | "providers">): DoctorFinding[] {
  const { origin } = new URL(base)
  const [normal] = listLinkOrigins(providers)
  const [spoofed] = listLinkOrigins(forwarded)
  if (normal === undefined) return []
  if (forwarded.status === 400)
    return [ok("forwarded-headers-trusted", origin, "a request whose X-Forwarded headers name another host is refused")]
  if (spoofed === undefined) return []
  if (spoofed === normal)
    return [ok("forwarded-headers-trusted", origin, "X-Forwarded headers of a visitor have no effect")]
  const isHost = new URL(spoofed).host === FOREIGN_HOST
  return [
    fail(
      "forwarded-headers-trusted",
      origin,
      `a visitor can set the ${isHost ? "host" : "scheme"} of links and redirect URIs with an X-Forwarded header`,
      {
        seen: `a request with X-Forwarded-Host: ${FOREIGN_HOST} returned links to ${spoofed}`,
        fix: `AUTH_URL=${origin}\nor trustHost: ["${new URL(origin).host}"], and in the proxy: proxy_set_header X-Forwarded-Host "";`,
      },
    ),
  ]
}

const CACHE_HEADERS = ["age", "cf-cache-status", "x-cache", "x-cache-status", "x-proxy-cache", "x-vercel-cache"]

const isCached = ([name, value]: readonly [string, string]): boolean =>
  name === "age" ? Number(value) > 0 : /\bhit\b/i.test(value)

/** Checks that no cache stores the session response, because the next visitor would receive it. */
export function checkCaches({ base, session }: Pick<Site, "base" | "session">): DoctorFinding[] {
  const subject = `${new URL(base).pathname}/session`
  const cacheHeader = CACHE_HEADERS.map((name) => [name, session.headers.get(name) ?? ""] as const).find(isCached)
  if (cacheHeader)
    return [
      fail(
        "session-cached",
        subject,
        "a cache answered instead of the application: a visitor may get the session of another user",
        {
          seen: cacheHeader.join(": "),
          fix: `disable caching of ${new URL(base).pathname}/ in the CDN or the proxy`,
        },
      ),
    ]
  const control = session.headers.get("cache-control") ?? ""
  if (/no-store/i.test(control)) return [ok("session-cached", subject, "no cache stores the session")]
  return [
    fail(
      "cache-control-stripped",
      subject,
      "the response arrived without Cache-Control: no-store, which the application sends",
      {
        seen: `Cache-Control: ${control || "none"}`,
        fix: `configure the proxy to pass on Cache-Control for ${new URL(base).pathname}/`,
      },
    ),
  ]
}

/** Checks that an https site redirects or refuses requests over http. */
export function checkHttps(
  { base, plainHttp }: Pick<Site, "base" | "plainHttp">,
  isProduction: boolean,
): DoctorFinding[] {
  const { origin, protocol } = new URL(base)
  if (protocol === "http:")
    return isProduction
      ? [
          fail("https-missing", origin, "the site is on http", {
            fix: "enable TLS in the proxy in front of the application",
          }),
        ]
      : []
  if (!plainHttp) return [ok("http-served", origin, "no server listens on http")]
  const location = plainHttp.headers.get("location") ?? ""
  if (plainHttp.status >= 300 && plainHttp.status < 400) {
    if (location.startsWith("https:")) return [ok("http-served", origin, "http redirects to https")]
    return [
      fail("redirect-loop", origin, "http redirects to http again", {
        seen: `${plainHttp.status} to ${location}`,
        fix: `return 301 https://$host$request_uri;`,
      }),
    ]
  }
  // nginx responds with 400 to plain HTTP on a TLS port.
  if (plainHttp.status === 400) return [ok("http-served", origin, "plain http is refused")]
  return [
    warn("http-served", origin, "the site also responses over http, where passwords are sent unencrypted", {
      seen: `status ${plainHttp.status} on http`,
      fix: "return 301 https://$host$request_uri;",
    }),
  ]
}

const LIMIT_HEADERS = ["ratelimit", "ratelimit-limit", "x-ratelimit-limit", "ratelimit-policy"]

function checkLimitHeaders({ base, providers }: Site): DoctorFinding[] {
  const found = LIMIT_HEADERS.find((name) => providers.headers.has(name))
  return found
    ? [
        ok(
          "rate-limit-off",
          new URL(base).origin,
          `a proxy in front of the application limits requests: it sends ${found}`,
        ),
      ]
    : []
}

const describeResponse = (response: RecordedResponse): string =>
  [response.url, response.status, readLocation(response) && `to ${readLocation(response)}`].filter(Boolean).join(" ")

function signInNotFound(url: string, tried: readonly RecordedResponse[], { resolved }: DoctorContext): DoctorFinding {
  const seen = tried.map(describeResponse).join("; ")
  const last = tried.at(-1)
  if (last && readLocation(last))
    return fail("redirect-loop", url, "the address redirects in a loop", {
      seen,
      fix: 'send X-Forwarded-Proto from the proxy, and set app.set("trust proxy", 1) in the application that redirects to https',
    })
  const target = tried.map(readLocation).find((address) => address !== undefined)
  if (target)
    return warn("site-redirects", url, "the address redirects to another address; check that one instead", {
      seen,
      fix: `npx latchkey doctor --url ${new URL(target).origin}`,
    })
  return fail("mount-mismatch", url, "no sign-in was found at this address", {
    seen,
    fix: `mount the middleware${resolved.basePath ? `, which serves ${resolved.basePath}` : ""}: app.use(authMiddleware(config)); or pass --url with the path at which it is mounted`,
  })
}

function checkResponses(site: Site, { resolved }: DoctorContext): DoctorFinding[] {
  const { origin } = new URL(site.base)
  return [
    ...checkOrigin(site),
    ...checkForwarded(site),
    ...checkHttps(site, resolved.isProduction),
    ...checkSetCookies(site.csrf.headers.getSetCookie(), site.base),
    ...checkCaches(site),
    ...clockFinding(origin, secondsAhead(site.csrf)),
    ...checkLimitHeaders(site),
  ]
}

/** With `--url`: checks the running application through the proxies in front of it. */
export const checkSite: Check = {
  group: "The running site",
  code: "site-unreachable",
  calls: ({ options }) => options.url !== undefined,
  async run(context) {
    const { url } = context.options
    if (url === undefined)
      return [
        skip(
          "untrusted-proxy",
          "--url",
          "pass the site's address to check proxies, cookies and caches: --url https://example.com",
        ),
      ]
    try {
      const found = await askSite(url, context.resolved.basePath)
      return "base" in found ? checkResponses(found, context) : [signInNotFound(url, found.tried, context)]
    } catch (error) {
      return [fail("site-unreachable", url, "the site does not answer", { seen: asError(error).message })]
    }
  },
}
