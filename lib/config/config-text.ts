import { readProviderId } from "./env.js"
import type { ResolvedConfig } from "./resolved-config.js"

function siteText({ trustHost }: Pick<ResolvedConfig, "trustHost">): string {
  if (typeof trustHost === "boolean") return trustHost ? "from each request" : "unknown: AUTH_URL is not set"
  return `one of ${trustHost.join(", ")}`
}

/** Summarises the resolved configuration on one line, without secrets. */
export function configText({ providers, session, secrets, ...config }: ResolvedConfig): string {
  const names =
    providers.map((provider) => `${String(readProviderId(provider))} (${provider.type})`).join(", ") || "none"
  const storage = session.strategy === "database" ? "in the database" : "in an encrypted cookie"
  return [
    `providers ${names}`,
    `sessions ${storage}, ${session.maxAge} s`,
    config.adapter ? "an adapter" : "no adapter",
    `${secrets.length} secret${secrets.length === 1 ? "" : "s"}`,
    `site ${config.canonicalOrigin ?? siteText(config)}`,
    `path ${config.basePath ?? "where it is mounted, or /auth"}`,
    config.isProduction ? "production" : "development",
  ].join("; ")
}
