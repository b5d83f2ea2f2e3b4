import { domainToASCII, domainToUnicode } from "node:url"
import type { AdapterUser } from "../adapters/adapter.js"
import type { AccountStore } from "./store.js"

/** A domain that can be written in two ways (RFC 5890 §2.3.2.1). */
const INTERNATIONAL = /(?:^|\.)[xX][nN]--|\P{ASCII}/u
/** `domainToASCII` reads its text as a URL does: other characters would end the host, or be decoded. */
const HOST = /^[\p{L}\p{M}\p{N}.-]+$/u

/** The same address with its domain in the other form, A-label or U-label, where there are two. */
function withOtherDomainForm(email: string): string | undefined {
  const at = email.lastIndexOf("@") + 1
  const domain = email.slice(at)
  if (!HOST.test(domain) || !INTERNATIONAL.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  const other = ascii === domain ? domainToUnicode(domain) : ascii
  return other === "" || other === domain ? undefined : email.slice(0, at) + other
}

/** The user of an address. Links have its domain as A-label, providers and users from Auth.js in either form. */
export async function findByEmail(
  email: string,
  store: Pick<AccountStore, "getUserByEmail">,
): Promise<AdapterUser | null> {
  const found = await store.getUserByEmail(email)
  if (found) return found
  const other = withOtherDomainForm(email)
  return other === undefined ? null : store.getUserByEmail(other)
}
