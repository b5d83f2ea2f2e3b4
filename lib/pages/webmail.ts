import { join } from "node:path"
import { memoize } from "../base/memoize.js"
import { builtInFolder, readText } from "./templates.js"

/** A site on which users read their email. */
export interface Webmail {
  readonly name: string
  readonly url: string
}

/** The sites by the domain of the addresses, read for the first page that needs them. */
const sitesByDomain = memoize((): ReadonlyMap<string, Webmail> => {
  // The file belongs to this package.
  const { sites } = JSON.parse(readText(join(builtInFolder(), "webmail.json"))) as {
    readonly sites: readonly (Webmail & { readonly domains: readonly string[] })[]
  }
  return new Map(sites.flatMap(({ name, url, domains }) => domains.map((domain) => [domain, { name, url }] as const)))
})

/**
 * Returns the site on which the emails to an address can be read; undefined if its domain is unknown.
 *
 * @example
 * findWebmail("ada@proton.me") // { name: "Proton Mail", url: "https://mail.proton.me/" }
 */
export const findWebmail = (email: string): Webmail | undefined =>
  sitesByDomain().get(email.slice(email.lastIndexOf("@") + 1).toLowerCase())
