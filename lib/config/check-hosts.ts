import { type ConfigProblem, configProblem } from "../errors.js"
import { parseHostEntry } from "../security/trusted-host.js"
import { type Check, warning } from "./finding.js"
import { kindOf } from "./kind-of.js"

function checkHostEntry(entry: unknown, index: number): ConfigProblem[] {
  if (typeof entry === "string" && parseHostEntry(entry)) return []
  const seen = typeof entry === "string" ? JSON.stringify(entry) : kindOf(entry)
  const advice = 'Write a host: "example.com", with its port if it has one, or "*.example.com" for its subdomains'
  return [configProblem("trusted-host-invalid", `trustHost[${index}]`, `is ${seen}. ${advice}`)]
}

/** `Auth` starts, and refuses each request. */
const noHost: ConfigProblem = {
  ...configProblem(
    "untrusted-host",
    "trustHost",
    'is not set, and neither is AUTH_URL, so the site\'s address is not known. Set AUTH_URL=https://example.com, or list your hosts: trustHost: ["example.com"]',
  ),
  isServable: true,
}

/**
 * Which hosts links may be made for. Links with codes in them must not lead to a host that a visitor has chosen
 * (host header injection, CWE-644).
 */
export const checkHosts: Check = ({ trustHost }, resolved) => {
  const { canonicalOrigin, isHostChecked, isProduction, unusedAuthUrl } = resolved
  if (Array.isArray(trustHost))
    return trustHost.length > 0
      ? trustHost.flatMap(checkHostEntry)
      : [configProblem("trusted-host-invalid", "trustHost", 'is an empty list. Write your hosts: ["example.com"]')]
  if (!isProduction || isHostChecked) return []
  if (!resolved.trustHost) return [noHost]
  // An AUTH_URL that is no address is a problem of its own.
  if (canonicalOrigin ?? unusedAuthUrl.text) return []
  return [
    warning(
      "any-host-trusted",
      'every host is trusted, so a visitor who can choose the host of a request chooses where links lead. Set AUTH_URL=https://example.com, or list your hosts: trustHost: ["example.com"]',
    ),
  ]
}
