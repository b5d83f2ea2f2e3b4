import { domainToASCII } from "node:url"

/**
 * Matches a domain that `domainToASCII` reads as a whole. That function parses text like a URL, so a "/" would end the
 * host.
 */
const HOST = /^[\p{L}\p{M}\p{N}.-]+$/u

/**
 * Normalises an address for comparison: ASCII letters in lower case, the domain in NFKC and as A-label. The local part
 * is not normalised further, because a mail server may deliver look-alike characters to different mailboxes.
 */
export function comparableAddress(address: string): string {
  const at = address.lastIndexOf("@") + 1
  const domain = address.slice(at).normalize("NFKC").toLowerCase()
  const local = address.slice(0, at).replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return local + ((HOST.test(domain) && domainToASCII(domain)) || domain)
}

/**
 * True if both texts are the same email address.
 *
 * @example isSameAddress("Ada@Bücher.example", "ada@xn--bcher-kva.example") // true
 */
export const isSameAddress = (a: string, b: string): boolean => a === b || comparableAddress(a) === comparableAddress(b)
