import { domainToASCII, domainToUnicode } from "node:url"
import type { AdapterUser } from "../adapters/adapter.js"
import type { AccountAdapter } from "./account-adapter.js"

/** Matches a domain with an A-label (`xn--`) or a U-label, which can be written in two forms (RFC 5890 §2.3.2.1). */
const INTERNATIONAL = /(?:^|\.)[xX][nN]--|\P{ASCII}/u
/**
 * Matches the domains that may be passed to `domainToASCII`, which parses its input like a URL. It would cut the domain
 * at a `#`, for example, and decode `%41` to `a`.
 */
const HOST = /^[\p{L}\p{M}\p{N}.-]+$/u

/**
 * Converts the domain of an address from A-label to U-label or the reverse; undefined if the domain is invalid or has
 * only one form.
 */
function withOtherDomainForm(email: string): string | undefined {
  const at = email.lastIndexOf("@") + 1
  const domain = email.slice(at)
  if (!HOST.test(domain) || !INTERNATIONAL.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  const converted = ascii === domain ? domainToUnicode(domain) : ascii
  return converted === "" || converted === domain ? undefined : email.slice(0, at) + converted
}

/**
 * Finds the user with an email address. The domain may be stored as A-label or as U-label: email links use the A-label,
 * while providers and Auth.js may use either form.
 */
export async function findByEmail(
  email: string,
  adapter: Pick<AccountAdapter, "getUserByEmail">,
): Promise<AdapterUser | null> {
  const found = await adapter.getUserByEmail(email)
  if (found) return found
  const converted = withOtherDomainForm(email)
  return converted === undefined ? null : adapter.getUserByEmail(converted)
}
