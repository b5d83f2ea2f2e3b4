import { trimTrailingSlashes } from "../../base/trim-slashes.js"
import { isSecureUrl } from "../../methods/oauth/endpoint.js"
import type { DoctorContext } from "./context.js"
import { type Check, type DoctorFinding, fail, ok, warn } from "./finding.js"

const isLocal = (url: URL): boolean => isSecureUrl(`http://${url.host}`)

function checkParts(url: URL, text: string): DoctorFinding[] {
  const clean = url.origin + trimTrailingSlashes(url.pathname)
  return [
    ...(url.search || url.hash || url.username || url.password
      ? [
          warn("option-invalid", "AUTH_URL", "has more than a scheme, a host and a path; the rest is ignored", {
            seen: url.origin + url.pathname,
            fix: `AUTH_URL=${clean}`,
          }),
        ]
      : []),
    ...(text !== text.trim()
      ? [warn("option-invalid", "AUTH_URL", "has white space around it", { fix: `AUTH_URL=${clean}` })]
      : []),
  ]
}

/** Checks AUTH_URL, also against NODE_ENV. */
export function checkAddress({ env, resolved }: Pick<DoctorContext, "env" | "resolved">): DoctorFinding[] {
  const text = env["AUTH_URL"]
  const { isProduction, trustHost } = resolved
  if (!text)
    return isProduction && typeof trustHost !== "boolean"
      ? [ok("any-host-trusted", "trustHost", `links use only these hosts: ${trustHost.join(", ")}`)]
      : []
  // The check of the configuration reports an invalid URL.
  if (!resolved.canonicalOrigin) return []
  const url = new URL(text)
  const seen = resolved.canonicalOrigin
  const found = checkParts(url, text)
  if (isProduction && isLocal(url))
    found.push(
      fail("auth-url-local", "AUTH_URL", "is a loopback address, which the browsers of other users can't reach", {
        seen,
        fix: "AUTH_URL=https://example.com",
      }),
    )
  else if (isProduction && url.protocol === "http:")
    found.push(
      fail(
        "https-missing",
        "AUTH_URL",
        "is on http: cookies and codes are sent unencrypted, and cookies are not Secure",
        {
          seen,
          fix: `AUTH_URL=https://${url.host}${url.pathname === "/" ? "" : url.pathname}`,
        },
      ),
    )
  else if (!isProduction && !isLocal(url))
    found.push(
      warn("node-env-unset", "NODE_ENV", "is not production, but AUTH_URL is a public address", {
        seen: `NODE_ENV=${env["NODE_ENV"] ?? ""}, AUTH_URL on ${url.host}`,
        fix: "NODE_ENV=production",
      }),
    )
  return found.length > 0 ? found : [ok("auth-url-local", "AUTH_URL", `the site's address is ${seen}`)]
}

export const checkSiteAddress: Check = { group: "Address", code: "auth-url-local", run: checkAddress }
