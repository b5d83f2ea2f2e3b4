import { NO_CACHE } from "../http/response.js"

const FIXED_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "X-Content-Type-Options": "nosniff",
  // The URL of a page can contain the token of an email link, so no referrer is sent.
  "Referrer-Policy": "no-referrer",
  // For browsers without `frame-ancestors`.
  "X-Frame-Options": "DENY",
  // Prevents a site that opened the window from navigating it, for example to a phishing page.
  "Cross-Origin-Opener-Policy": "same-origin",
  ...NO_CACHE,
}

/** A source must not contain a space, "," or ";", which would start another source, policy or directive. */
const isSource = (text: string): boolean => /^[^\s,;]+$/.test(text)

/** The CSP source of an image, or undefined if 'self' or data: covers it. */
function imageSource(address: string): string | undefined {
  // "//cdn.example.com/logo.png" uses the page's scheme, like a source without scheme.
  if (address.startsWith("//")) return address.slice(2).split("/", 1)[0]
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return undefined
  return new URL(address).origin
}

const directive = (name: string, sources: readonly string[]): string =>
  [name, ...new Set(sources.filter(isSource))].join(" ")

/** The additional needs of a page. */
export interface PageNeeds {
  /** The URLs of its images. */
  readonly images: readonly string[]
  readonly hasScripts: boolean
  readonly nonce: string | undefined
}

/** CSP 3 §2.3.1, "base64-value": other characters could end the source and the policy. */
const NONCE = /^[\w+/-]+={0,2}$/

/** True if the text is a valid nonce for a policy and an element. */
export const isNonce = (text: string): boolean => NONCE.test(text)

/**
 * Creates the security headers of the pages. They forbid framing, MIME sniffing, caching, and loading anything that the
 * page does not need. `formTargets` are the CSP sources to which a posted form may redirect.
 */
export function createHeaders(formTargets: readonly string[]) {
  const fixed = [
    directive("base-uri", ["'none'"]),
    directive("object-src", ["'none'"]),
    directive("frame-ancestors", ["'none'"]),
    // Browsers apply `form-action` to every redirect after a posted form. A provider can redirect to unknown hosts (a
    // company's sign-in, a country's domain), so all https targets are allowed. `formTargets` are providers on plain
    // http in development.
    directive("form-action", ["'self'", "https:", ...formTargets]),
  ]
  return function headersFor({ images, hasScripts, nonce }: PageNeeds): Record<string, string> {
    const ownSources = ["'self'", ...(nonce !== undefined && isNonce(nonce) ? [`'nonce-${nonce}'`] : [])]
    const imageSources = images.map(imageSource).filter((source) => source !== undefined)
    const policy = [
      directive("default-src", ["'none'"]),
      directive("style-src", ownSources),
      ...(hasScripts ? [directive("script-src", ownSources), directive("connect-src", ["'self'"])] : []),
      ...fixed,
      directive("img-src", ["'self'", "data:", ...imageSources]),
    ]
    return { ...FIXED_HEADERS, "Content-Security-Policy": policy.join("; ") }
  }
}
