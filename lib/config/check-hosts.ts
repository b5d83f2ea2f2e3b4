import { describeType } from "../base/text.js"
import { type ConfigProblem, configProblem, invalidOption } from "../errors/errors.js"
import { parseHostEntry } from "../security/trusted-host.js"
import { type Check, warning } from "./finding.js"

function checkHostEntry(entry: unknown, index: number): ConfigProblem[] {
  if (typeof entry === "string" && parseHostEntry(entry)) return []
  const seen = typeof entry === "string" ? JSON.stringify(entry) : describeType(entry)
  const fix = 'Write a host: "example.com", with its port if it has one, or "*.example.com" for its direct subdomains'
  return [invalidOption(`trustHost[${index}]`, `is ${seen}`, fix)]
}

/**
 * Returns the problem of a site for which no host is trusted. The problem is recoverable: `Auth` starts, but refuses
 * each request.
 */
function noTrustedHost(isForbidden: boolean): ConfigProblem {
  const seen = isForbidden
    ? "is false, so no host is trusted and every request is refused"
    : "is not set, and neither is AUTH_URL, so the site's address is not known"
  const fix = `${isForbidden ? "Remove it and set" : "Set"} AUTH_URL=https://example.com, or list your hosts: trustHost: ["example.com"]`
  return { ...configProblem("untrusted-host", "trustHost", seen, fix), isRecoverable: true }
}

/**
 * Checks which hosts are trusted. If every host is trusted, an attacker can send a forged Host header, and links that
 * contain codes then point to the attacker's host (host header injection, CWE-644).
 */
export const checkHosts: Check = ({ trustHost }, resolved) => {
  const { canonicalOrigin, platformChecksHost, isProduction, unusedAuthUrl } = resolved
  if (Array.isArray(trustHost))
    return trustHost.length > 0
      ? trustHost.flatMap(checkHostEntry)
      : [invalidOption("trustHost", "is an empty list", 'Write your hosts: ["example.com"]')]
  if (!isProduction || platformChecksHost) return []
  if (!resolved.trustHost) return [noTrustedHost(trustHost === false)]
  // `checkAuthUrl` reports an invalid AUTH_URL.
  if (canonicalOrigin ?? unusedAuthUrl.invalidText) return []
  return [
    warning(
      "any-host-trusted",
      "trustHost",
      "trusts every host, so a visitor who can choose the Host header of a request also chooses where links lead",
      'Set AUTH_URL=https://example.com, or list your hosts: trustHost: ["example.com"]',
    ),
  ]
}
