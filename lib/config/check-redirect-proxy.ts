import { configProblem, invalidOption } from "../errors/errors.js"
import { type Check, warning } from "./finding.js"
import type { ResolvedConfig } from "./resolved-config.js"

/** The redirect proxies that the configuration and its providers name. */
export const redirectProxyUrls = ({ redirectProxyUrl, providers }: ResolvedConfig): string[] =>
  [
    redirectProxyUrl,
    ...providers.map((provider): unknown => Reflect.get({ ...provider, ...provider.options }, "redirectProxyUrl")),
  ].filter((url) => typeof url === "string" && url !== "") as string[]

const EXAMPLE = "https://*.preview.example.com"
/** Replaces the wildcard while an entry is parsed as a URL. */
const PLACEHOLDER = "wildcard-label"

/** Returns the entry as a canonical origin; undefined if it is invalid, or if its wildcard could match any site. */
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
    .map((entry, i) => ({ entry, i, canonical: canonicalOriginPattern(entry) }))
    .filter(({ entry, canonical }) => entry !== canonical)
    .map(({ entry, i, canonical = EXAMPLE }) =>
      invalidOption(
        `redirectProxyOrigins[${i}]`,
        `is ${JSON.stringify(entry)}, which is not an origin. Only the first label of the host can contain a "*"`,
        `Write "${canonical}"`,
      ),
    )

/** Checks the list of deployments. A site that is the redirect proxy needs it. A site that may be the proxy gets a warning. */
export const checkRedirectProxyOrigins: Check = (_, resolved) => {
  const { redirectProxyOrigins, canonicalOrigin } = resolved
  if (redirectProxyOrigins) return checkEntries(redirectProxyOrigins)
  const origins = redirectProxyUrls(resolved).flatMap((url) => (URL.canParse(url) ? [new URL(url).origin] : []))
  const [proxy] = origins
  if (proxy === undefined) return []
  const missing = "no response is forwarded to a deployment"
  const fix = `Write the list of deployments: redirectProxyOrigins: ["${EXAMPLE}"]`
  if (canonicalOrigin === undefined)
    return [
      warning(
        "redirect-proxy-origins-missing",
        "redirectProxyOrigins",
        `is missing: if this site is the redirect proxy ${proxy}, ${missing}`,
        fix,
      ),
    ]
  return origins.includes(canonicalOrigin)
    ? [
        configProblem(
          "redirect-proxy-origins-missing",
          "redirectProxyOrigins",
          `is missing, and this site is the redirect proxy: ${missing}`,
          fix,
        ),
      ]
    : []
}
