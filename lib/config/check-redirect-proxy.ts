import { configProblem, invalidOption } from "../errors/errors.js"
import { type Check, warning } from "./finding.js"
import type { ResolvedConfig } from "./resolved-config.js"

/** Returns the URLs of the redirect proxies in the configuration and in the options of its providers. */
export const redirectProxyUrls = ({ redirectProxyUrl, providers }: ResolvedConfig): string[] =>
  [
    redirectProxyUrl,
    ...providers.map((provider): unknown => Reflect.get({ ...provider, ...provider.options }, "redirectProxyUrl")),
  ].filter((url) => typeof url === "string" && url !== "") as string[]

const EXAMPLE = "https://*.preview.example.com"
/** Replaces the wildcard while an entry is parsed as a URL. */
const PLACEHOLDER = "wildcard-label"

/**
 * Returns the entry as a canonical origin; undefined if the entry is invalid, or if its wildcard matches every site of
 * a top-level domain other than `localhost`, as in `https://*.com`.
 */
function canonicalOriginPattern(entry: unknown): string | undefined {
  if (typeof entry !== "string") return undefined
  const [first = "", ...others] = entry.split(".")
  if (first.split("*").length > 2 || others.some((label) => label.includes("*"))) return undefined
  const text = entry.replace("*", PLACEHOLDER)
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { origin, hostname } = new URL(text)
  const isTooWide = entry.includes("*") && hostname.split(".").length < 3 && !hostname.endsWith(".localhost")
  return isTooWide ? undefined : origin.replace(PLACEHOLDER, "*")
}

const checkEntries = (entries: readonly unknown[]) =>
  entries
    .map((entry, index) => ({ entry, index, canonical: canonicalOriginPattern(entry) }))
    .filter(({ entry, canonical }) => entry !== canonical)
    .map(({ entry, index, canonical = EXAMPLE }) =>
      invalidOption(
        `redirectProxyOrigins[${index}]`,
        `is ${JSON.stringify(entry)}, which is not an origin. A "*" must be in the first of three or more host labels`,
        `Write "${canonical}"`,
      ),
    )

/**
 * Checks `redirectProxyOrigins`. The option is required if this site is the redirect proxy. If the origin of this site
 * is unknown, a missing option is a warning.
 */
export const checkRedirectProxyOrigins: Check = (_, resolved) => {
  const { redirectProxyOrigins, canonicalOrigin } = resolved
  if (redirectProxyOrigins) return checkEntries(redirectProxyOrigins)
  const origins = redirectProxyUrls(resolved).flatMap((url) => (URL.canParse(url) ? [new URL(url).origin] : []))
  const [proxy] = origins
  if (proxy === undefined) return []
  const consequence = "no response is forwarded to a deployment"
  const fix = `Write the list of deployments: redirectProxyOrigins: ["${EXAMPLE}"]`
  if (canonicalOrigin === undefined)
    return [
      warning(
        "redirect-proxy-origins-missing",
        "redirectProxyOrigins",
        `is missing: if this site is the redirect proxy ${proxy}, ${consequence}`,
        fix,
      ),
    ]
  return origins.includes(canonicalOrigin)
    ? [
        configProblem(
          "redirect-proxy-origins-missing",
          "redirectProxyOrigins",
          `is missing, and this site is the redirect proxy: ${consequence}`,
          fix,
        ),
      ]
    : []
}
