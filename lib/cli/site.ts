import { trimTrailingSlashes } from "../http/trim-slashes.js"
import { type Terminal, UsageError } from "./command.js"

const DEFAULT_SITE = "http://localhost:3000"

/**
 * Where the sign-in is, from AUTH_URL.
 *
 * @throws UsageError when AUTH_URL is no address of a site
 */
export function siteOf({ env }: Terminal, basePath: string): string {
  const address = env["AUTH_URL"]
  if (!address) return DEFAULT_SITE + basePath
  if (!/^https?:/i.test(address) || !URL.canParse(address))
    throw new UsageError(
      `AUTH_URL is ${JSON.stringify(address)}, which is no address of a site: write "https://example.com"`,
    )
  const { origin, pathname } = new URL(address)
  return origin + (trimTrailingSlashes(pathname) || basePath)
}
