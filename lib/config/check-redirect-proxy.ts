import { configProblem } from "../errors.js"
import { type Check, warning } from "./finding.js"
import type { ResolvedConfig } from "./resolve.js"

/** The redirect proxies that the configuration and its providers name. */
export const redirectProxyUrls = ({ redirectProxyUrl, providers }: ResolvedConfig): string[] =>
  [
    redirectProxyUrl,
    ...providers.map((provider): unknown => Reflect.get({ ...provider, ...provider.options }, "redirectProxyUrl")),
  ].filter((url) => typeof url === "string" && url !== "") as string[]

const EXAMPLE = "https://*.preview.example.com"
/** Stands for the wildcard where an entry is parsed as a URL. */
const LABEL = "wildcard-label"

/** The entry as an origin in its canonical form; undefined where it is none, or its wildcard could match any site. */
function canonicalEntry(entry: unknown): string | undefined {
  if (typeof entry !== "string") return undefined
  const [first = "", ...others] = entry.split(".")
  if (first.split("*").length > 2 || others.some((label) => label.includes("*"))) return undefined
  const text = entry.replace("*", LABEL)
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { origin, hostname } = new URL(text)
  const isTooWide = entry.includes("*") && hostname.split(".").length < 3 && !hostname.endsWith(".localhost")
  return isTooWide ? undefined : origin.replace(LABEL, "*")
}

const checkEntries = (entries: readonly unknown[]) =>
  entries
    .map((entry, i) => ({ entry, i, canonical: canonicalEntry(entry) }))
    .filter(({ entry, canonical }) => entry !== canonical)
    .map(({ entry, i, canonical = EXAMPLE }) =>
      configProblem(
        "redirect-proxy-origin-invalid",
        `redirectProxyOrigins[${i}]`,
        `is ${JSON.stringify(entry)}, which is not an origin. Its first label may have one "*", above a domain. Write "${canonical}"`,
      ),
    )

/** The list of deployments. It is required where the site is known to be the proxy, and hinted at where it may be. */
export const checkRedirectProxyOrigins: Check = (_, resolved) => {
  const { redirectProxyOrigins, canonicalOrigin } = resolved
  if (redirectProxyOrigins) return checkEntries(redirectProxyOrigins)
  const origins = redirectProxyUrls(resolved).flatMap((url) => (URL.canParse(url) ? [new URL(url).origin] : []))
  const [proxy] = origins
  if (proxy === undefined) return []
  const missing = `no answer is handed on to a deployment. List the deployments: redirectProxyOrigins: ["${EXAMPLE}"]`
  if (canonicalOrigin === undefined)
    return [
      warning(
        "redirect-proxy-origins-missing",
        `redirectProxyOrigins is missing: where this site is the redirect proxy ${proxy}, ${missing}`,
      ),
    ]
  return origins.includes(canonicalOrigin)
    ? [
        configProblem(
          "redirect-proxy-origins-missing",
          "redirectProxyOrigins",
          `is missing, and this site is the redirect proxy: ${missing}`,
        ),
      ]
    : []
}
