import { trimTrailingSlashes } from "../../http/trim-slashes.js"
import { isSecureUrl } from "../../methods/oauth/endpoint.js"
import type { Examined } from "./examined.js"
import { type Check, type DoctorFinding, fail, ok, warn } from "./finding.js"

const isLocal = (url: URL): boolean => isSecureUrl(`http://${url.host}`)

function checkParts(url: URL, text: string): DoctorFinding[] {
  const clean = url.origin + trimTrailingSlashes(url.pathname)
  return [
    ...(url.search || url.hash || url.username || url.password
      ? [
          warn("auth-url-extras", "AUTH_URL", "has more than a scheme, a host and a path, and the rest is ignored", {
            seen: url.origin + url.pathname,
            write: `AUTH_URL=${clean}`,
          }),
        ]
      : []),
    ...(text !== text.trim()
      ? [warn("auth-url-extras", "AUTH_URL", "has white space around it", { write: `AUTH_URL=${clean}` })]
      : []),
  ]
}

/** What AUTH_URL and NODE_ENV say of each other. */
export function checkAddress({ env, resolved }: Pick<Examined, "env" | "resolved">): DoctorFinding[] {
  const text = env["AUTH_URL"]
  const { isProduction, trustHost } = resolved
  if (!text)
    return isProduction && typeof trustHost !== "boolean"
      ? [ok("any-host-trusted", "trustHost", `links are made for these hosts alone: ${trustHost.join(", ")}`)]
      : []
  // Whether it is an address at all is checked with the configuration.
  if (!resolved.canonicalOrigin) return []
  const url = new URL(text)
  const seen = resolved.canonicalOrigin
  const found = checkParts(url, text)
  if (isProduction && isLocal(url))
    found.push(
      fail("auth-url-local", "AUTH_URL", "leads to this machine, where nobody else's browser comes", {
        seen,
        write: "AUTH_URL=https://example.com",
      }),
    )
  else if (isProduction && url.protocol === "http:")
    found.push(
      fail(
        "https-missing",
        "AUTH_URL",
        "is on http: cookies and codes travel in the open, and cookies are not Secure",
        {
          seen,
          write: `AUTH_URL=https://${url.host}${url.pathname === "/" ? "" : url.pathname}`,
        },
      ),
    )
  else if (!isProduction && !isLocal(url))
    found.push(
      warn("node-env-unset", "NODE_ENV", "is not production, and AUTH_URL is of a site that others can reach", {
        seen: `NODE_ENV=${env["NODE_ENV"] ?? ""}, AUTH_URL on ${url.host}`,
        write: "NODE_ENV=production",
      }),
    )
  return found.length > 0 ? found : [ok("auth-url-local", "AUTH_URL", `${seen} is where the site is`)]
}

export const checkSiteAddress: Check = { group: "Address", code: "auth-url-local", run: checkAddress }
