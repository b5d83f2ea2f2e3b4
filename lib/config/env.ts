/**
 * What the environment adds to a configuration.
 *
 * @module
 */

import { envPrefix } from "../env-name.js"
import { trimPath } from "../http/action.js"
import { trimTrailingSlashes } from "../http/trim-slashes.js"
import { createLogger, type Logger } from "../logger.js"
import type { Provider, ProviderObject } from "../providers/provider.js"
import type { AuthAction, AuthConfig } from "../types.js"
import { DEFAULT_BASE_PATH } from "./defaults.js"
import { idOf } from "./provider-id.js"

/** Environment variables, as `process.env` has them. */
export type Env = Readonly<Record<string, string | undefined>>

/** What is read of the environment, under the names of the options. */
export interface EnvDefaults {
  readonly basePath?: string
  /** The canonical address of the site's sign-in, from AUTH_URL. */
  readonly authUrl?: URL
  /** AUTH_URL as it is set, when it is no URL. */
  readonly invalidAuthUrl?: string
  readonly secrets: readonly string[]
  readonly redirectProxyUrl?: string
  readonly redirectProxySecret?: string
  readonly trustHost: boolean
  /** True on a platform that lets no request through for a host that is not the site's. */
  readonly isHostChecked: boolean
  readonly isProduction: boolean
  /** `NODE_ENV` says so, or nothing: "test" and whatever else it may say are neither the one nor the other. */
  readonly isDevelopment: boolean
}

const FALSE = new Set(["false", "0", "no", "off"])

/** Set, and not one of the words for no. */
const isTrue = (value: string | undefined): boolean => Boolean(value) && !FALSE.has(value?.toLowerCase() ?? "")

/** The address of a site; `localhost:3000` without a scheme is a URL too, and none of a site. */
function parseUrl(text: string | undefined): URL | undefined {
  if (!text || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return ["http:", "https:"].includes(url.protocol) ? url : undefined
}

/** Reads the variables that have to do with the whole configuration. */
export function readEnv(env: Env): EnvDefaults {
  const authUrl = parseUrl(env["AUTH_URL"])
  const path = authUrl && trimTrailingSlashes(authUrl.pathname)
  const secrets = [env["AUTH_SECRET_3"], env["AUTH_SECRET_2"], env["AUTH_SECRET_1"], env["AUTH_SECRET"]]
  const proxy = env["AUTH_REDIRECT_PROXY_URL"]
  const proxySecret = env["AUTH_REDIRECT_PROXY_SECRET"]
  const isProduction = env["NODE_ENV"] === "production"
  const isHostChecked = ["VERCEL", "CF_PAGES"].some((name) => isTrue(env[name]))
  return {
    ...(path && { basePath: path }),
    ...(authUrl && { authUrl }),
    ...(env["AUTH_URL"] && !authUrl && { invalidAuthUrl: env["AUTH_URL"] }),
    // The highest number comes first: it is the newest, and signs.
    secrets: secrets.filter((secret): secret is string => Boolean(secret?.trim())),
    ...(proxy && { redirectProxyUrl: proxy }),
    ...(proxySecret?.trim() && { redirectProxySecret: proxySecret }),
    trustHost: Boolean(env["AUTH_URL"]) || isTrue(env["AUTH_TRUST_HOST"]) || isHostChecked || !isProduction,
    isHostChecked,
    isProduction,
    isDevelopment: ["", "development"].includes(env["NODE_ENV"] ?? ""),
  }
}

const credentialsOf = (id: string, env: Env) => {
  const prefix = envPrefix(id)
  const found = {
    clientId: env[`${prefix}_ID`],
    clientSecret: env[`${prefix}_SECRET`],
    issuer: env[`${prefix}_ISSUER`],
    apiKey: env[`${prefix}_KEY`],
    from: env[`${prefix}_FROM`],
    server: env[`${prefix}_SERVER`],
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value)) as Partial<
    Record<keyof typeof found, string>
  >
}

const OAUTH_OPTIONS = ["clientId", "clientSecret", "issuer"] as const
const MAIL_OPTIONS = ["apiKey", "from", "server"] as const

/** A factory that was given bare is called: first to learn its id, then with what the environment has for that id. */
function build(factory: Extract<Provider, (...args: never[]) => unknown>, env: Env): ProviderObject {
  let id: string
  try {
    id = factory({}).id
  } catch {
    // Some factories read their issuer, or their mail server, at once.
    id = factory({ issuer: "https://issuer.invalid", server: "smtp://server.invalid" }).id
  }
  return factory(credentialsOf(id, env))
}

/**
 * A provider as an object, with what its variables add: `AUTH_<ID>_ID`, `_SECRET` and `_ISSUER`; for mail `_KEY`,
 * `_FROM` and `_SERVER`.
 * What the application gave wins. The object given is not written to.
 */
export function providerWithEnv(provider: Provider, env: Env): ProviderObject {
  const object = typeof provider === "function" ? build(provider, env) : provider
  const found = credentialsOf(String(idOf(object)), env)
  const names = object.type === "email" ? MAIL_OPTIONS : OAUTH_OPTIONS
  // Pages show it; without types nobody misses it before.
  const named = { name: String(idOf(object)) }
  if (object.type !== "email" && object.type !== "oauth" && object.type !== "oidc") return withMissing(object, named)
  const additions = Object.fromEntries(names.flatMap((name) => (found[name] ? [[name, found[name]]] : [])))
  return withMissing(object, { ...named, ...additions })
}

/** The object itself where it lacks nothing. */
function withMissing(object: ProviderObject, additions: Readonly<Record<string, string>>): ProviderObject {
  const given: Record<string, unknown> = { ...object }
  const missing = Object.entries(additions).filter(([name]) => given[name] === undefined || given[name] === null)
  // Spreading keeps the object's own type: only text members are added.
  return missing.length > 0 ? ({ ...object, ...Object.fromEntries(missing) } as ProviderObject) : object
}

/**
 * Fills a configuration from the environment, as Auth.js integrations do. It writes into the object it is given:
 * that is its contract. `authMiddleware` and the others need no such call.
 *
 * @example
 * setEnvDefaults(process.env, config)
 */
export function setEnvDefaults(env: Env, config: AuthConfig, suppressBasePathWarning = false): void {
  const found = readEnv(env)
  const logger = createLogger(config)
  if (config.basePath) {
    if (found.basePath !== undefined && !suppressBasePathWarning) logger.warn("env-url-basepath-redundant")
  } else config.basePath = found.basePath ?? DEFAULT_BASE_PATH
  if (!config.secret || config.secret.length === 0) config.secret = [...found.secrets]
  const proxy = config.redirectProxyUrl ?? found.redirectProxyUrl
  if (proxy) config.redirectProxyUrl = proxy
  const proxySecret = config.redirectProxySecret ?? found.redirectProxySecret
  if (proxySecret) config.redirectProxySecret = proxySecret
  config.trustHost ??= found.trustHost
  config.providers = (config.providers ?? []).map((provider) => providerWithEnv(provider, env))
}

const firstOf = (list: string | null): string | undefined => list?.split(",")[0]?.trim() || undefined

/**
 * The address of an action, from `AUTH_URL` or else from the request's headers, forwarded ones first.
 *
 * @throws TypeError when AUTH_URL or the host is not one
 * @example
 * createActionURL("signin", "https", req.headers, process.env, { basePath: "/auth" }).href
 */
export function createActionURL(
  action: AuthAction,
  protocol: string,
  headers: Headers,
  env: Env,
  config: { basePath?: string; logger?: AuthConfig["logger"] },
): URL {
  const canonical = env["AUTH_URL"] || env["NEXTAUTH_URL"]
  const basePath = config.basePath === "/" ? undefined : config.basePath
  const url = canonical ? canonicalUrl(canonical, basePath, createLogger(config)) : requestUrl(protocol, headers)
  const path = [url.pathname, basePath ?? "", action].map((part) => trimPath(part).slice(1))
  return new URL(`${url.origin}/${path.filter(Boolean).join("/")}`)
}

function canonicalUrl(text: string, basePath: string | undefined, logger: Logger): URL {
  const url = new URL(text)
  if (!basePath || url.pathname === "/") return url
  if (url.pathname !== basePath) logger.warn("env-url-basepath-mismatch")
  return new URL(url.origin)
}

function requestUrl(protocol: string, headers: Headers): URL {
  const host = firstOf(headers.get("x-forwarded-host")) ?? headers.get("host")
  if (!host) throw new TypeError("the request has no Host header, and AUTH_URL is not set")
  const scheme = (firstOf(headers.get("x-forwarded-proto")) ?? protocol) || "https"
  return new URL(`${scheme.replace(/:$/, "")}://${host}`)
}
