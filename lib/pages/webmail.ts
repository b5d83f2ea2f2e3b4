import { join } from "node:path"
import { memoize } from "../base/memoize.js"
import { builtInFolder, readText } from "./templates.js"

/** A webmail site, on which users read their email. */
export interface Webmail {
  readonly name: string
  readonly url: string
}

/** The webmail sites by the domain of the email addresses. The file is read at the first use. */
const sitesByDomain = memoize((): ReadonlyMap<string, Webmail> => {
  // The file is part of this package, so its shape is known.
  const { sites } = JSON.parse(readText(join(builtInFolder(), "webmail.json"))) as {
    readonly sites: readonly (Webmail & { readonly domains: readonly string[] })[]
  }
  return new Map(sites.flatMap(({ name, url, domains }) => domains.map((domain) => [domain, { name, url }] as const)))
})

/**
 * Returns the webmail site for an email address; undefined if the domain of the address is unknown.
 *
 * @example
 * findWebmail("ada@proton.me") // { name: "Proton Mail", url: "https://mail.proton.me/" }
 */
export const findWebmail = (email: string): Webmail | undefined =>
  sitesByDomain().get(email.slice(email.lastIndexOf("@") + 1).toLowerCase())
