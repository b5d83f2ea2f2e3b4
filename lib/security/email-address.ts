import { domainToASCII } from "node:url"

/** `domainToASCII` reads its text as a URL does: other characters would end the host, or be decoded. */
const HOST = /^[\p{L}\p{M}\p{N}.-]+$/u

/**
 * One form for comparing addresses: ASCII letters in lower case, the domain normalised (NFKC) and as A-label. The local
 * part is compared as it is otherwise, because a mail server may deliver look-alike characters to different mailboxes.
 */
export function comparableAddress(address: string): string {
  const at = address.lastIndexOf("@") + 1
  const domain = address.slice(at).normalize("NFKC").toLowerCase()
  const local = address.slice(0, at).replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return local + ((HOST.test(domain) && domainToASCII(domain)) || domain)
}

/**
 * Are both texts the same email address?
 *
 * @example isSameAddress("Ada@Bücher.example", "ada@xn--bcher-kva.example") // true
 */
export const isSameAddress = (a: string, b: string): boolean => a === b || comparableAddress(a) === comparableAddress(b)
