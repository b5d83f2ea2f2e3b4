import { NO_CACHE } from "../http/response.js"

const FIXED_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "X-Content-Type-Options": "nosniff",
  // The address of a page may hold a sign-in link's token, and nobody else needs it.
  "Referrer-Policy": "no-referrer",
  // For browsers that know no `frame-ancestors`.
  "X-Frame-Options": "DENY",
  // A site that has opened the window can't navigate it from here on, to a copy of this page for instance.
  "Cross-Origin-Opener-Policy": "same-origin",
  ...NO_CACHE,
}

/** Neither a space, "," nor ";" may be in a source: it would begin another source, policy or directive. */
const isSource = (text: string): boolean => /^[^\s,;]+$/.test(text)

/** The source that lets an image load, or undefined when 'self' and data: do. */
function imageSource(address: string): string | undefined {
  // "//cdn.example.com/logo.png" comes over the page's own scheme, as a source without one does.
  if (address.startsWith("//")) return address.slice(2).split("/", 1)[0]
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return undefined
  return new URL(address).origin
}

const directive = (name: string, sources: readonly string[]): string =>
  [name, ...new Set(sources.filter(isSource))].join(" ")

/** What a page needs beside what all need. */
export interface PageNeeds {
  /** Addresses of its images. */
  readonly images: readonly string[]
  readonly hasScripts: boolean
  readonly nonce: string | undefined
}

/** CSP 3 §2.3.1, "base64-value": anything else could end the source, and with it the policy. */
const NONCE = /^[\w+/-]+={0,2}$/

/** Is the text one that a policy and an element can have as nonce? */
export const isNonce = (text: string): boolean => NONCE.test(text)

/**
 * Makes the headers of a configuration's pages: nothing may be loaded, framed, sniffed or kept that a page does not
 * need. `formTargets` are CSP sources that forms may lead to.
 */
export function createHeaders(formTargets: readonly string[]) {
  const fixed = [
    directive("base-uri", ["'none'"]),
    directive("object-src", ["'none'"]),
    directive("frame-ancestors", ["'none'"]),
    // Browsers hold `form-action` against every redirect that follows a posted form, not only against the form's
    // own address. A provider may send people on to hosts that nobody can list (a company's own sign-in, a country's
    // domain), so all of https is allowed; `formTargets` are for providers on plain http, in development.
    directive("form-action", ["'self'", "https:", ...formTargets]),
  ]
  return function headersFor({ images, hasScripts, nonce }: PageNeeds): Record<string, string> {
    const own = ["'self'", ...(nonce !== undefined && isNonce(nonce) ? [`'nonce-${nonce}'`] : [])]
    const imageSources = images.map(imageSource).filter((source) => source !== undefined)
    const policy = [
      directive("default-src", ["'none'"]),
      directive("style-src", own),
      ...(hasScripts ? [directive("script-src", own), directive("connect-src", ["'self'"])] : []),
      ...fixed,
      directive("img-src", ["'self'", "data:", ...imageSources]),
    ]
    return { ...FIXED_HEADERS, "Content-Security-Policy": policy.join("; ") }
  }
}
