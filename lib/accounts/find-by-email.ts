import { domainToASCII, domainToUnicode } from "node:url"
import type { AdapterUser } from "../adapters/adapter.js"
import type { AccountAdapter } from "./account-adapter.js"

/** A domain that has both an A-label and a U-label form (RFC 5890 §2.3.2.1). */
const INTERNATIONAL = /(?:^|\.)[xX][nN]--|\P{ASCII}/u
/** `domainToASCII` parses its input like a URL: other characters would end the host or be percent-decoded. */
const HOST = /^[\p{L}\p{M}\p{N}.-]+$/u

/** Converts the domain of an address from A-label to U-label or the reverse; undefined if both are the same. */
function withOtherDomainForm(email: string): string | undefined {
  const at = email.lastIndexOf("@") + 1
  const domain = email.slice(at)
  if (!HOST.test(domain) || !INTERNATIONAL.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  const other = ascii === domain ? domainToUnicode(domain) : ascii
  return other === "" || other === domain ? undefined : email.slice(0, at) + other
}

/**
 * Finds the user of an email address, whichever form its domain has. Email links use the A-label; providers and users
 * stored by Auth.js may have either form.
 */
export async function findByEmail(
  email: string,
  adapter: Pick<AccountAdapter, "getUserByEmail">,
): Promise<AdapterUser | null> {
  const found = await adapter.getUserByEmail(email)
  if (found) return found
  const other = withOtherDomainForm(email)
  return other === undefined ? null : adapter.getUserByEmail(other)
}
