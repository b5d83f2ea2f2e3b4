/**
 * Reads options from environment variables.
 *
 * @module
 */

import { envPrefix, trimTrailingSlashes } from "../base/text.js"
import { type AuthAction, trimPath } from "../http/action.js"
import { createLogger, type Logger } from "../logging/logger.js"
import { METHODS } from "../methods/index.js"
import type { EnvOption } from "../methods/method.js"
import type { Provider, ProviderObject } from "../provider-kit/provider.js"
import type { AuthConfig } from "./auth-config.js"
import { DEFAULT_BASE_PATH } from "./defaults.js"

/**
 * Returns the id of a provider: `options.id`, even if that is null, or else `id`. The type is `unknown`, because an
 * application in JavaScript can set any value.
 */
export const readProviderId = ({ id, options }: ProviderObject): unknown =>
  options?.id === undefined ? id : options.id

/** Environment variables, such as `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>

/** What the environment variables set: options of the configuration, and facts about the environment. */
export interface EnvDefaults {
  readonly basePath?: string
  /** AUTH_URL, parsed. */
  readonly authUrl?: URL
  /** The text of AUTH_URL if it is not an http or https URL. */
  readonly invalidAuthUrl?: string
  readonly secrets: readonly string[]
  readonly redirectProxyUrl?: string
  readonly redirectProxySecret?: string
  readonly trustHost: boolean
  /** True on a hosting platform that itself rejects requests whose host does not belong to the site. */
  readonly platformChecksHost: boolean
  readonly isProduction: boolean
  /**
   * True if `NODE_ENV` is "development", empty or not set. Other values, such as "test", are neither development nor
   * production.
   */
  readonly isDevelopment: boolean
}

const FALSE_VALUES = new Set(["false", "0", "no", "off"])

/** True if the variable is set, and not to "false", "0", "no" or "off". */
const isTrue = (value: string | undefined): boolean => Boolean(value) && !FALSE_VALUES.has(value?.toLowerCase() ?? "")

/**
 * Parses an http or https URL. Returns undefined for other text, such as `localhost:3000`, whose scheme is `localhost`.
 */
function parseHttpUrl(text: string | undefined): URL | undefined {
  if (!text || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return ["http:", "https:"].includes(url.protocol) ? url : undefined
}

/** Reads the variables that apply to the whole configuration. */
export function readEnv(env: Env): EnvDefaults {
  const authUrl = parseHttpUrl(env["AUTH_URL"])
  const path = authUrl && trimTrailingSlashes(authUrl.pathname)
  const secrets = [env["AUTH_SECRET_3"], env["AUTH_SECRET_2"], env["AUTH_SECRET_1"], env["AUTH_SECRET"]]
  const proxy = env["AUTH_REDIRECT_PROXY_URL"]
  const proxySecret = env["AUTH_REDIRECT_PROXY_SECRET"]
  const isProduction = env["NODE_ENV"] === "production"
  const platformChecksHost = ["VERCEL", "CF_PAGES"].some((name) => isTrue(env[name]))
  return {
    ...(path && { basePath: path }),
    ...(authUrl && { authUrl }),
    ...(env["AUTH_URL"] && !authUrl && { invalidAuthUrl: env["AUTH_URL"] }),
    // The first secret encrypts. The variable with the highest number contains the newest secret.
    secrets: secrets.filter((secret): secret is string => Boolean(secret?.trim())),
    ...(proxy && { redirectProxyUrl: proxy }),
    ...(proxySecret?.trim() && { redirectProxySecret: proxySecret }),
    trustHost: Boolean(env["AUTH_URL"]) || isTrue(env["AUTH_TRUST_HOST"]) || platformChecksHost || !isProduction,
    platformChecksHost,
    isProduction,
    isDevelopment: ["", "development"].includes(env["NODE_ENV"] ?? ""),
  }
}

const readProviderVariables = (id: string, env: Env) => {
  const prefix = envPrefix(id)
  const found: Record<EnvOption, string | undefined> = {
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

/** Calls a provider's factory twice: first to read the provider's id, then with the variables for that id. */
function callFactory(factory: Extract<Provider, (...args: never[]) => unknown>, env: Env): ProviderObject {
  let id: string
  try {
    id = factory({}).id
  } catch {
    // Some factories throw without an issuer or a mail server, because they parse it immediately.
    id = factory({ issuer: "https://issuer.invalid", server: "smtp://server.invalid" }).id
  }
  return factory(readProviderVariables(id, env))
}

/**
 * Returns a provider as an object. Options that are not set are read from its variables: `AUTH_<ID>_ID`, `_SECRET` and
 * `_ISSUER`, or for email `_KEY`, `_FROM` and `_SERVER`. The argument is not modified.
 */
export function providerWithEnv(provider: Provider, env: Env): ProviderObject {
  const object = typeof provider === "function" ? callFactory(provider, env) : provider
  const found = readProviderVariables(String(readProviderId(object)), env)
  const optionNames = METHODS[object.type]?.needs.environment ?? []
  // Pages show the name. In JavaScript it can be missing.
  const defaultName = { name: String(readProviderId(object)) }
  const additions = Object.fromEntries(optionNames.flatMap((name) => (found[name] ? [[name, found[name]]] : [])))
  return addMissing(object, { ...defaultName, ...additions })
}

/**
 * Adds, in a copy, each addition whose member is undefined or null in the object. Returns the object itself if there is
 * nothing to add.
 */
function addMissing(object: ProviderObject, additions: Readonly<Record<string, string>>): ProviderObject {
  const members: Record<string, unknown> = { ...object }
  const missing = Object.entries(additions).filter(([name]) => members[name] === undefined || members[name] === null)
  // The assertion holds because only string members are added.
  return missing.length > 0 ? ({ ...object, ...Object.fromEntries(missing) } as ProviderObject) : object
}

/**
 * Sets the missing options of a configuration from environment variables. Modifies the configuration object. Only code
 * that calls `Auth`, and integrations of Auth.js, need this function: `authMiddleware`, `authHandlers` and `getSession`
 * read the variables themselves.
 *
 * @example
 * setEnvDefaults(process.env, config)
 */
export function setEnvDefaults(env: Env, config: AuthConfig, suppressBasePathWarning = false): void {
  const defaults = readEnv(env)
  const logger = createLogger(config)
  config.basePath ||= config.prefix
  if (config.basePath) {
    if (defaults.basePath !== undefined && !suppressBasePathWarning) logger.warn("env-url-basepath-redundant")
  } else config.basePath = defaults.basePath ?? DEFAULT_BASE_PATH
  if (!config.secret || config.secret.length === 0) config.secret = [...defaults.secrets]
  const proxy = config.redirectProxyUrl ?? defaults.redirectProxyUrl
  if (proxy) config.redirectProxyUrl = proxy
  const proxySecret = config.redirectProxySecret ?? defaults.redirectProxySecret
  if (proxySecret) config.redirectProxySecret = proxySecret
  config.trustHost ??= defaults.trustHost
  config.providers = (config.providers ?? []).map((provider) => providerWithEnv(provider, env))
}

/** Returns the first item of a header with a comma-separated list. */
const firstListItem = (list: string | null): string | undefined => list?.split(",")[0]?.trim() || undefined

/**
 * Returns the URL of an action. The origin is that of `AUTH_URL`, or else of `NEXTAUTH_URL`. If neither variable is
 * set, the origin is read from the headers `X-Forwarded-Host` and `X-Forwarded-Proto`, which are trusted without a
 * check. If one of these headers is missing, `Host` or the parameter `protocol` is used instead.
 *
 * @throws TypeError if AUTH_URL or the host is invalid
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
  const host = firstListItem(headers.get("x-forwarded-host")) ?? headers.get("host")
  if (!host) throw new TypeError("the request has no Host header, and AUTH_URL is not set")
  const scheme = (firstListItem(headers.get("x-forwarded-proto")) ?? protocol) || "https"
  return new URL(`${scheme.replace(/:$/, "")}://${host}`)
}
