import { domainToASCII, domainToUnicode } from "node:url"
import type { AdapterUser } from "../adapters/adapter.js"
import { AdapterError } from "../errors.js"
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

/** One spelling for comparing: as people mean it, whatever the case and the form of the domain. */
export function spelling(email: string): string {
  const text = email.normalize("NFKC").toLowerCase()
  const at = text.lastIndexOf("@") + 1
  const domain = text.slice(at)
  return text.slice(0, at) + (domainToASCII(domain) || domain)
}

/**
 * A database may take "adá@…" for "ada@…", by how it was set to compare texts: then one person's mailbox would open
 * another's account.
 */
function requireSame(found: AdapterUser | null, asked: string): AdapterUser | null {
  const { email }: { email?: unknown } = found ?? {}
  if (typeof email !== "string" || email === asked || spelling(email) === spelling(asked)) return found
  const hint = "compare addresses exactly; in MySQL the column needs a binary collation, utf8mb4_bin for instance"
  throw new AdapterError("adapter.getUserByEmail gave a user of another address", { method: "getUserByEmail", hint })
}

/**
 * The user of an address. Links know its domain as A-label, providers and users from Auth.js in whichever form: they
 * are one person.
 *
 * @throws AdapterError when the store gives somebody of another address
 */
export async function findByEmail(
  email: string,
  store: Pick<AccountStore, "getUserByEmail">,
): Promise<AdapterUser | null> {
  const found = requireSame(await store.getUserByEmail(email), email)
  if (found) return found
  const other = otherForm(email)
  return other === undefined ? null : requireSame(await store.getUserByEmail(other), other)
}
