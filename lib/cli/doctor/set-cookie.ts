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

/** Why a browser on this origin would not keep a cookie (RFC 6265bis §4.1.3, §5.7); undefined when it would. */
function refusalOf({ name, domain, path, secure }: Cookie, { origin, hostname }: URL): string | undefined {
  // Browsers take this machine for a safe place.
  if (secure && !isSecureUrl(origin)) return "it is Secure, and the site is on http"
  if (/^__(?:Secure|Host)-/.test(name) && !secure) return "its name wants it Secure, and it is not"
  if (name.startsWith("__Host-") && (domain || path !== "/")) return "its name allows no Domain and no Path but /"
  const bare = domain?.replace(/^\./, "")
  if (bare && hostname !== bare && !hostname.endsWith(`.${bare}`)) return `its Domain is ${bare}, which is another site`
  return undefined
}

function check(cookie: Cookie, site: URL): DoctorFinding[] {
  const { name, secure, httpOnly, sameSite } = cookie
  const refusal = refusalOf(cookie, site)
  if (refusal)
    return [
      fail("cookie-refused", name, `browsers do not keep this cookie: ${refusal}`, {
        seen: site.origin,
        write:
          'AUTH_URL with the scheme that people type, app.set("trust proxy", 1) behind a proxy, and no attributes of your own in `cookies`',
      }),
    ]
  return [
    ...(site.protocol === "https:" && !secure
      ? [
          fail(
            "cookie-not-secure",
            name,
            "the site is on https, and the cookie is not Secure: the application takes itself to be on http",
            {
              seen: `${site.origin}, cookie ${name}`,
              write: `app.set("trust proxy", 1), or AUTH_URL=${site.origin}`,
            },
          ),
        ]
      : []),
    ...(httpOnly
      ? []
      : [
          warn("cookie-readable", name, "scripts of the page can read the cookie", {
            write: "httpOnly: true in `cookies`, or leave it out",
          }),
        ]),
    ...(String(sameSite).toLowerCase() === "none"
      ? [
          warn("cookie-cross-site", name, "the cookie goes along with requests of other sites", {
            write: 'sameSite: "lax" in `cookies`, or leave it out',
          }),
        ]
      : []),
  ]
}

/** The findings of `Set-Cookie` headers that a browser got from a site. */
export function checkSetCookies(headers: readonly string[], base: string): DoctorFinding[] {
  const site = new URL(base)
  const found = headers.flatMap((header) => check(parseSetCookie(header), site))
  if (headers.length === 0)
    return [
      fail("cookie-missing", base, "no cookie comes with the answer: something on the way takes it off", {
        seen: "no Set-Cookie header of /csrf",
      }),
    ]
  return found.length > 0 ? found : [ok("cookie-refused", site.origin, "browsers keep the cookies as they are set")]
}
