import { domainToASCII, domainToUnicode } from "node:url"
import type { AdapterUser } from "../adapters/adapter.js"
import type { AccountStore } from "./store.js"

/** A domain that can be written in two ways (RFC 5890 §2.3.2.1). */
const INTERNATIONAL = /(?:^|\.)xn--|\P{ASCII}/iu

/** The same address with its domain written the other way, when there is one. */
function otherForm(email: string): string | undefined {
  const at = email.lastIndexOf("@") + 1
  const domain = email.slice(at)
  if (!INTERNATIONAL.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  const other = ascii === domain ? domainToUnicode(domain) : ascii
  return other === "" || other === domain ? undefined : email.slice(0, at) + other
}

/**
 * The user of an address. Links know its domain as A-label, providers and users from Auth.js in whichever form: they
 * are one person.
 */
export async function findByEmail(
  email: string,
  store: Pick<AccountStore, "getUserByEmail">,
): Promise<AdapterUser | null> {
  const found = await store.getUserByEmail(email)
  if (found) return found
  const other = otherForm(email)
  return other === undefined ? null : store.getUserByEmail(other)
}
