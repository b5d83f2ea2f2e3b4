import { asError } from "../../errors.js"
import { clockFinding } from "./clock.js"
import type { Examined } from "./examined.js"
import { type Check, type DoctorFinding, fail, ok, skip, warn } from "./finding.js"
import { checkSetCookies } from "./set-cookie.js"
import { askSite, locationOf, type Site, STRANGE_HOST, signInUrlsIn } from "./site.js"
import { type Answer, secondsAhead } from "./watched-fetch.js"

const originsIn = (answer: Answer): string[] => [
  ...new Set((signInUrlsIn(answer) ?? []).map((url) => new URL(url).origin)),
]

/** Does the application know where it is? Its own addresses tell. */
export function checkOrigin({ base, providers }: Pick<Site, "base" | "providers">): DoctorFinding[] {
  const asked = new URL(base)
  const [told] = originsIn(providers)
  if (told === undefined) return []
  if (told === asked.origin) return [ok("wrong-origin", asked.origin, "the application knows this address as its own")]
  const seen = `asked ${asked.origin}, links to ${told}`
  const isSchemeAlone = new URL(told).host === asked.host
  return [
    isSchemeAlone
      ? fail(
          "untrusted-proxy",
          asked.origin,
          "the application takes itself to be on http: it does not believe the proxy that ends TLS, or that proxy says nothing",
          {
            seen,
            write: `app.set("trust proxy", 1)\nand in the proxy: proxy_set_header X-Forwarded-Proto $scheme;`,
          },
        )
      : fail("wrong-origin", asked.origin, "links and redirect URIs lead to another address than people use", {
          seen,
          write: `AUTH_URL=${asked.origin}\nor in the proxy: proxy_set_header Host $http_host; and app.set("trust proxy", 1)`,
        }),
  ]
}

/** Headers of a visitor must not reach the application as if a proxy had said it. */
export function checkForwarded({
  base,
  forwarded,
  providers,
}: Pick<Site, "base" | "forwarded" | "providers">): DoctorFinding[] {
  const { origin } = new URL(base)
  const [honest, strange] = [originsIn(providers)[0], originsIn(forwarded)[0]]
  if (honest === undefined) return []
  if (forwarded.status === 400)
    return [ok("forwarded-believed", origin, "a request whose X-Forwarded headers name another host is refused")]
  if (strange === undefined) return []
  if (strange === honest)
    return [ok("forwarded-believed", origin, "what a visitor writes into X-Forwarded headers changes nothing")]
  const isHost = new URL(strange).host === STRANGE_HOST
  return [
    fail(
      "forwarded-believed",
      origin,
      `a visitor can choose the ${isHost ? "host" : "scheme"} of links and redirect URIs by an X-Forwarded header`,
      {
        seen: `X-Forwarded-Host: ${STRANGE_HOST} gave links to ${strange}`,
        write: `AUTH_URL=${origin}\nor trustHost: ["${new URL(origin).host}"], and in the proxy: proxy_set_header X-Forwarded-Host "";`,
      },
    ),
  ]
}

const CACHE_HEADERS = ["age", "cf-cache-status", "x-cache", "x-cache-status", "x-proxy-cache", "x-vercel-cache"]

const isKept = ([name, value]: readonly [string, string]): boolean =>
  name === "age" ? Number(value) > 0 : /\bhit\b/i.test(value)

/** A session that a cache keeps is shown to the next visitor. */
export function checkCaches({ base, session }: Pick<Site, "base" | "session">): DoctorFinding[] {
  const subject = `${new URL(base).pathname}/session`
  const kept = CACHE_HEADERS.map((name) => [name, session.headers.get(name) ?? ""] as const).find(isKept)
  if (kept)
    return [
      fail(
        "session-cached",
        subject,
        "a cache answered in the application's place: one visitor may be shown another's session",
        {
          seen: kept.join(": "),
          write: `no caching of ${new URL(base).pathname}/ in the CDN or the proxy`,
        },
      ),
    ]
  const control = session.headers.get("cache-control") ?? ""
  if (/no-store/i.test(control)) return [ok("session-cached", subject, "no cache keeps it")]
  return [
    fail(
      "cache-control-stripped",
      subject,
      "the answer came without Cache-Control: no-store, which the application sends",
      {
        seen: `Cache-Control: ${control || "none"}`,
        write: `the application's Cache-Control left as it is, below ${new URL(base).pathname}/`,
      },
    ),
  ]
}

/** On http a site on https sends on; it must not serve. */
export function checkHttps({ base, plain }: Pick<Site, "base" | "plain">, isProduction: boolean): DoctorFinding[] {
  const { origin, protocol } = new URL(base)
  if (protocol === "http:")
    return isProduction
      ? [fail("https-missing", origin, "the site is on http", { write: "TLS, in the proxy in front" })]
      : []
  if (!plain) return [ok("http-served", origin, "nobody listens on http")]
  const location = plain.headers.get("location") ?? ""
  if (plain.status >= 300 && plain.status < 400) {
    if (location.startsWith("https:")) return [ok("http-served", origin, "http leads to https")]
    return [
      fail("redirect-loop", origin, "http leads to http again", {
        seen: `${plain.status} to ${location}`,
        write: `return 301 https://$host$request_uri;`,
      }),
    ]
  }
  // nginx answers plain HTTP on a TLS port with 400; no proxy serves a page with it.
  if (plain.status === 400) return [ok("http-served", origin, "plain http is refused")]
  return [
    warn("http-served", origin, "the site answers on http too, and what is typed there travels in the open", {
      seen: `status ${plain.status} on http`,
      write: "return 301 https://$host$request_uri;",
    }),
  ]
}

const LIMIT_HEADERS = ["ratelimit", "ratelimit-limit", "x-ratelimit-limit", "ratelimit-policy"]

function noteLimits({ base, providers }: Site): DoctorFinding[] {
  const found = LIMIT_HEADERS.find((name) => providers.headers.has(name))
  return found ? [ok("rate-limit-off", new URL(base).origin, `something in front limits requests: ${found}`)] : []
}

const lineOf = (answer: Answer): string =>
  [answer.url, answer.status, locationOf(answer) && `to ${locationOf(answer)}`].filter(Boolean).join(" ")

function notFound(url: string, tried: readonly Answer[], { resolved }: Examined): DoctorFinding {
  const seen = tried.map(lineOf).join("; ")
  const last = tried.at(-1)
  if (last && locationOf(last))
    return fail("redirect-loop", url, "one redirect follows the other, and none leads anywhere", {
      seen,
      write:
        'X-Forwarded-Proto from the proxy, and app.set("trust proxy", 1) in the application that redirects to https',
    })
  const elsewhere = tried.map(locationOf).find((address) => address !== undefined)
  if (elsewhere)
    return warn("site-redirects", url, "the address leads to another one, which is the one to look at", {
      seen,
      write: `npx latchkey doctor --url ${new URL(elsewhere).origin}`,
    })
  return fail("mount-mismatch", url, "no sign-in answers there", {
    seen,
    write: `app.use(authMiddleware(config))${resolved.basePath ? `, which serves ${resolved.basePath} by itself` : ""}; or --url with the path where it is mounted`,
  })
}

function examine(site: Site, { resolved }: Examined): DoctorFinding[] {
  const { origin } = new URL(site.base)
  return [
    ...checkOrigin(site),
    ...checkForwarded(site),
    ...checkHttps(site, resolved.isProduction),
    ...checkSetCookies(site.csrf.headers.getSetCookie(), site.base),
    ...checkCaches(site),
    ...clockFinding(origin, secondsAhead(site.csrf)),
    ...noteLimits(site),
  ]
}

/** With `--url`: the running application, through whatever stands in front of it. */
export const checkSite: Check = {
  group: "The running site",
  code: "site-unreachable",
  calls: ({ options }) => options.url !== undefined,
  async run(at) {
    const { url } = at.options
    if (url === undefined)
      return [
        skip(
          "untrusted-proxy",
          "--url",
          "give the site's address to look at proxies, cookies and caches: --url https://example.com",
        ),
      ]
    try {
      const found = await askSite(url, at.resolved.basePath)
      return "base" in found ? examine(found, at) : [notFound(url, found.tried, at)]
    } catch (error) {
      return [fail("site-unreachable", url, "nothing answers there", { seen: asError(error).message })]
    }
  },
}
