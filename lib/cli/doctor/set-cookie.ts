import { parseSetCookie } from "cookie"
import { isSecureUrl } from "../../methods/oauth/endpoint.js"
import { type DoctorFinding, fail, ok, warn } from "./check.js"

type Cookie = ReturnType<typeof parseSetCookie>

/**
 * Returns why a browser refuses a cookie on this origin (RFC 6265bis §4.1.3, §5.7); undefined if it accepts the cookie.
 */
function findRefusal({ name, domain, path, secure }: Cookie, { origin, hostname }: URL): string | undefined {
  // Browsers treat loopback addresses as secure.
  if (secure && !isSecureUrl(origin)) return "it is Secure, but the site is on http"
  if (/^__(?:Secure|Host)-/.test(name) && !secure) return "its name prefix requires the Secure attribute"
  if (name.startsWith("__Host-") && (domain || path !== "/"))
    return "its name prefix forbids a Domain and requires the Path /"
  const domainName = domain?.replace(/^\./, "")
  if (domainName && hostname !== domainName && !hostname.endsWith(`.${domainName}`))
    return `its Domain is ${domainName}, which does not contain this host`
  return undefined
}

function checkCookie(cookie: Cookie, { origin, protocol }: URL): DoctorFinding[] {
  const { name, secure, httpOnly, sameSite } = cookie
  const refusal = findRefusal(cookie, new URL(origin))
  if (refusal)
    return [
      fail("cookie-refused", name, {
        seen: `${refusal} (${origin})`,
        fix: 'set AUTH_URL to the address that users visit, or app.set("trust proxy", 1) behind a proxy. If the option `cookies` sets the attribute, remove it',
      }),
    ]
  const found: DoctorFinding[] = []
  if (protocol === "https:" && !secure) {
    const fix = `app.set("trust proxy", 1), or AUTH_URL=${origin}`
    found.push(fail("cookie-not-secure", name, { seen: `${origin}, cookie ${name}`, fix }))
  }
  if (!httpOnly)
    found.push(
      warn("cookie-unprotected", name, {
        seen: "not HttpOnly: scripts in a page can read the cookie",
        fix: "set httpOnly: true in `cookies`, or remove httpOnly",
      }),
    )
  if (String(sameSite).toLowerCase() === "none")
    found.push(
      warn("cookie-unprotected", name, {
        seen: "SameSite=None: browsers send the cookie with requests from other sites",
        fix: 'set sameSite: "lax" in `cookies`, or remove sameSite',
      }),
    )
  return found
}

/** Checks the `Set-Cookie` headers of a site. */
export function checkSetCookies(headers: readonly string[], base: string): DoctorFinding[] {
  const site = new URL(base)
  if (headers.length === 0)
    return [fail("cookie-missing", base, { seen: "no Set-Cookie header in the response of /csrf" })]
  const found = headers.flatMap((header) => checkCookie(parseSetCookie(header), site))
  return found.length > 0 ? found : [ok("cookie-refused", site.origin, "browsers accept the cookies")]
}
