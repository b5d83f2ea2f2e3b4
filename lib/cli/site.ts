import { trimTrailingSlashes } from "../base/trim-slashes.js"
import { type Terminal, UsageError } from "./command.js"

const DEFAULT_SITE = "http://localhost:3000"

/**
 * Returns the URL of the sign-in, from AUTH_URL.
 *
 * @throws UsageError if AUTH_URL is not the address of a site
 */
export function readSite({ env }: Terminal, basePath: string): string {
  const address = env["AUTH_URL"]
  if (!address) return DEFAULT_SITE + basePath
  if (!/^https?:/i.test(address) || !URL.canParse(address))
    throw new UsageError(
      `AUTH_URL is ${JSON.stringify(address)}, which is not the address of a site: write "https://example.com"`,
    )
  const { origin, pathname } = new URL(address)
  return origin + (trimTrailingSlashes(pathname) || basePath)
}
