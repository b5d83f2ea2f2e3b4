import { parseSetCookie } from "cookie"
import { isSecureUrl } from "../../methods/oauth/endpoint.js"
import { type DoctorFinding, fail, ok, warn } from "./finding.js"

interface Cookie {
  readonly name: string
  readonly domain?: string | undefined
  readonly path?: string | undefined
  readonly secure?: boolean | undefined
  readonly httpOnly?: boolean | undefined
  readonly sameSite?: unknown
}

/** Returns why a browser refuses a cookie on this origin (RFC 6265bis §4.1.3, §5.7); undefined if it accepts the cookie. */
function findRefusal({ name, domain, path, secure }: Cookie, { origin, hostname }: URL): string | undefined {
  // Browsers treat loopback addresses as secure.
  if (secure && !isSecureUrl(origin)) return "it is Secure, but the site is on http"
  if (/^__(?:Secure|Host)-/.test(name) && !secure) return "its name prefix requires the Secure attribute"
  if (name.startsWith("__Host-") && (domain || path !== "/"))
    return "its name prefix forbids a Domain and requires the Path /"
  const bare = domain?.replace(/^\./, "")
  if (bare && hostname !== bare && !hostname.endsWith(`.${bare}`))
    return `its Domain is ${bare}, which does not contain this host`
  return undefined
}

function check(cookie: Cookie, site: URL): DoctorFinding[] {
  const { name, secure, httpOnly, sameSite } = cookie
  const refusal = findRefusal(cookie, site)
  if (refusal)
    return [
      fail("cookie-refused", name, `browsers refuse this cookie: ${refusal}`, {
        seen: site.origin,
        fix: 'set AUTH_URL with the scheme that users visit, behind a proxy app.set("trust proxy", 1), and remove the attributes from `cookies`',
      }),
    ]
  return [
    ...(site.protocol === "https:" && !secure
      ? [
          fail(
            "cookie-not-secure",
            name,
            "the site is on https, but the cookie is not Secure: the application thinks it is served over http",
            {
              seen: `${site.origin}, cookie ${name}`,
              fix: `app.set("trust proxy", 1), or AUTH_URL=${site.origin}`,
            },
          ),
        ]
      : []),
    ...(httpOnly
      ? []
      : [
          warn("cookie-unprotected", name, "scripts in a page can read the cookie", {
            fix: "set httpOnly: true in `cookies`, or remove httpOnly",
          }),
        ]),
    ...(String(sameSite).toLowerCase() === "none"
      ? [
          warn("cookie-unprotected", name, "the cookie is sent with requests from other sites", {
            fix: 'set sameSite: "lax" in `cookies`, or remove sameSite',
          }),
        ]
      : []),
  ]
}

/** Checks the `Set-Cookie` headers of a site. */
export function checkSetCookies(headers: readonly string[], base: string): DoctorFinding[] {
  const site = new URL(base)
  const found = headers.flatMap((header) => check(parseSetCookie(header), site))
  if (headers.length === 0)
    return [
      fail("cookie-missing", base, "the response has no cookie: a proxy or a CDN removes cookies", {
        seen: "no Set-Cookie header in the response of /csrf",
      }),
    ]
  return found.length > 0 ? found : [ok("cookie-refused", site.origin, "browsers accept the cookies")]
}
