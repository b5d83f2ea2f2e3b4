import { NO_CACHE } from "../http/response.js"

const FIXED_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "X-Content-Type-Options": "nosniff",
  // The URL of a page can contain the token of an email link, so no referrer is sent.
  "Referrer-Policy": "no-referrer",
  // For old browsers, which do not support the CSP directive `frame-ancestors`.
  "X-Frame-Options": "DENY",
  // Prevents a site that opened the page in a window from navigating this window, for example to a phishing page.
  "Cross-Origin-Opener-Policy": "same-origin",
  ...NO_CACHE,
}

/** True if the text is one CSP source. A space, "," or ";" would start another source, policy or directive. */
const isSingleSource = (text: string): boolean => /^[^\s,;]+$/.test(text)

/** Returns the CSP source of an image; undefined if no additional source is needed, or if the URL is invalid. */
function imageSource(address: string): string | undefined {
  // A URL such as "//cdn.example.com/logo.png" has the page's scheme, and so has a CSP source without a scheme.
  if (address.startsWith("//")) return address.slice(2).split("/", 1)[0]
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return undefined
  return new URL(address).origin
}

const directive = (name: string, sources: readonly string[]): string =>
  [name, ...new Set(sources.filter(isSingleSource))].join(" ")

/** The parts of a page that its Content-Security-Policy has to allow. */
export interface PageNeeds {
  /** The URLs of the page's images. */
  readonly images: readonly string[]
  readonly hasScripts: boolean
  /** The nonce of styles and scripts, if the application sets one. */
  readonly nonce: string | undefined
}

/** Matches "base64-value" of CSP 3 §2.3.1. Other characters could end the source or the policy. */
const NONCE = /^[\w+/-]+={0,2}$/

/** True if the text is a valid nonce, which can be inserted into a policy and an attribute without escaping. */
export const isNonce = (text: string): boolean => NONCE.test(text)

/**
 * Creates a function that returns the security headers of a page. The headers forbid framing, MIME sniffing, caching,
 * and loading resources that the page does not need. `formTargets` are additional CSP sources to which a submitted form
 * may redirect.
 */
export function createHeaders(formTargets: readonly string[]) {
  const fixed = [
    directive("base-uri", ["'none'"]),
    directive("object-src", ["'none'"]),
    directive("frame-ancestors", ["'none'"]),
    // Browsers apply `form-action` to every redirect after a form is submitted. A provider can redirect to unknown
    // hosts, such as a company's identity provider or a country's domain, so all https URLs are allowed. `formTargets`
    // contains the providers that use http in development.
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
