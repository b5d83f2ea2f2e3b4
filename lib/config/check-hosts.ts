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

/**
 * Which hosts links may be made for. Links with codes in them must not lead to a host that a visitor has chosen
 * (host header injection, CWE-644).
 */
export const checkHosts: Check = ({ trustHost }, { canonicalOrigin, isHostChecked, isProduction, ...resolved }) => {
  if (Array.isArray(trustHost))
    return trustHost.length > 0
      ? trustHost.flatMap(checkHostEntry)
      : [configProblem("trusted-host-invalid", "trustHost", 'is an empty list. Write your hosts: ["example.com"]')]
  if (!isProduction || canonicalOrigin || isHostChecked || resolved.trustHost !== true) return []
  return [
    warning(
      "any-host-trusted",
      'every host is trusted, so a visitor who can choose the host of a request chooses where links lead. Set AUTH_URL=https://example.com, or list your hosts: trustHost: ["example.com"]',
    ),
  ]
}
