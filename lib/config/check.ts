/**
 * What is wrong with a configuration, all of it at once. Pure.
 *
 * @module
 */
import type { Adapter, AdapterMethod } from "../adapters/adapter.js"
import type { ConfigProblem, ErrorType } from "../errors.js"
import { METHODS } from "../methods/index.js"
import { viewsProblem } from "../pages/templates.js"
import { isCssColor } from "../pages/theme.js"
import type { ProviderObject } from "../providers/provider.js"
import type { AuthConfig } from "../types.js"
import { MIN_SECRET_LENGTH } from "./defaults.js"
import { nearestName } from "./nearest-name.js"
import type { ResolvedConfig } from "./resolve.js"

export interface ConfigWarning {
  readonly code: string
  readonly message: string
}

export interface ConfigReport {
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigWarning[]
}

type Check = (config: AuthConfig, resolved: ResolvedConfig) => readonly (ConfigProblem | ConfigWarning)[]

const problem = (path: string, message: string, type: ErrorType = "ConfigurationError"): ConfigProblem => ({
  type,
  path,
  message,
})
const warning = (code: string, message: string): ConfigWarning => ({ code, message })

const NEW_SECRET = "node -e \"console.log(require('crypto').randomBytes(33).toString('base64'))\""

const checkSecret: Check = (_, { secrets, isProduction }) => {
  if (secrets.length === 0)
    return [
      problem(
        "secret",
        `is missing and AUTH_SECRET is not set. Make one with \`${NEW_SECRET}\` and put it into the environment as AUTH_SECRET`,
        "MissingSecret",
      ),
    ]
  const short = secrets.map((secret) => secret.length).filter((length) => length < MIN_SECRET_LENGTH)
  if (short.length === 0) return []
  const message = `has ${short[0]} characters, and ${MIN_SECRET_LENGTH} are the least. Make one with \`${NEW_SECRET}\``
  return [
    isProduction
      ? problem("secret", message)
      : warning("weak-secret", `secret ${message}; production refuses to start with it`),
  ]
}

/** The names of options. The types keep them complete: a new option that is not listed fails to compile. */
const OPTIONS: Record<keyof AuthConfig, readonly string[] | undefined> = {
  providers: undefined,
  secret: undefined,
  session: ["strategy", "maxAge", "updateAge", "generateSessionToken"],
  jwt: ["secret", "maxAge", "encode", "decode"],
  pages: ["signIn", "signOut", "error", "verifyRequest", "newUser"],
  callbacks: ["signIn", "redirect", "session", "jwt"],
  events: ["signIn", "signOut", "createUser", "updateUser", "linkAccount", "session"],
  adapter: undefined,
  debug: undefined,
  logger: undefined,
  theme: ["colorScheme", "logo", "brandColor", "buttonText"],
  views: undefined,
  useSecureCookies: undefined,
  cookies: ["sessionToken", "callbackUrl", "csrfToken", "pkceCodeVerifier", "state", "nonce", "webauthnChallenge"],
  trustHost: undefined,
  skipCSRFCheck: undefined,
  raw: undefined,
  redirectProxyUrl: undefined,
  experimental: ["enableWebAuthn"],
  basePath: undefined,
  prefix: undefined,
  rateLimit: ["attempts", "windowSeconds", "limiter"],
  clock: undefined,
}

/** A name that nobody reads: an error when it looks like a slip of the pen, else a warning. */
function checkNames(object: object, known: readonly string[], prefix: string) {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearestName(name, known)
      if (meant) return problem(prefix + name, `is no option. Did you mean \`${meant}\`?`)
      return warning("unknown-option", `${prefix}${name} is no option and is ignored; there are ${known.join(", ")}`)
    })
}

const checkOptionNames: Check = (config) => [
  ...checkNames(config, Object.keys(OPTIONS), ""),
  ...Object.entries(OPTIONS).flatMap(([name, known]) => {
    const value: unknown = Reflect.get(config, name)
    return known && typeof value === "object" && value !== null ? checkNames(value, known, `${name}.`) : []
  }),
]

const isSeconds = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0

const checkValues: Check = (config, { session, theme, basePath, redirectProxyUrl, jwt }) => [
  ...(["maxAge", "updateAge"] as const)
    .filter((name) => !isSeconds(session[name]))
    .map((name) =>
      problem(`session.${name}`, `is ${String(session[name])}. Write a number of seconds, 86400 for a day`),
    ),
  ...(isSeconds(jwt.maxAge) ? [] : [problem("jwt.maxAge", `is ${String(jwt.maxAge)}. Write a number of seconds`)]),
  ...(["jwt", "database"].includes(session.strategy)
    ? []
    : [problem("session.strategy", `is "${String(session.strategy)}". Write "jwt" or "database"`)]),
  ...(["brandColor", "buttonText"] as const)
    .filter((name) => theme[name] && !isCssColor(theme[name]))
    .map((name) =>
      problem(
        `theme.${name}`,
        `is ${JSON.stringify(theme[name])}, which is no CSS colour. Write "#346df1" for instance`,
      ),
    ),
  ...(basePath !== undefined && /[?#\\\s]|\/\//.test(basePath)
    ? [problem("basePath", `is "${basePath}". Write a path: "/auth"`)]
    : []),
  ...(redirectProxyUrl && !URL.canParse(redirectProxyUrl)
    ? [
        problem(
          "redirectProxyUrl",
          `is "${redirectProxyUrl}", which is not a URL. Write "https://auth.example.com/auth"`,
        ),
      ]
    : []),
  ...(config.prefix && config.basePath && config.prefix !== config.basePath
    ? [
        problem(
          "prefix",
          `is "${config.prefix}" beside basePath "${config.basePath}": they are two names of one option. Write one of them`,
        ),
      ]
    : []),
]

const checkViews: Check = (_, { views }) => {
  const found = viewsProblem(views)
  return found ? [problem("views", found)] : []
}

/** Characters that would end a cookie's name or attribute and begin another (RFC 6265 §4.1.1). */
const COOKIE_NAME = /^[\w!#$%&'*.^`|~+-]+$/
const ATTRIBUTE = /^[^;,\s\p{Cc}]*$/u

const checkCookies: Check = (_, { cookies }) =>
  Object.entries(cookies).flatMap(([key, cookie]) => [
    ...(cookie?.name !== undefined && !COOKIE_NAME.test(cookie.name)
      ? [problem(`cookies.${key}.name`, `is ${JSON.stringify(cookie.name)}. Write letters, digits, ".", "_" and "-"`)]
      : []),
    ...(["domain", "path"] as const)
      .filter((name) => cookie?.options?.[name] !== undefined && !ATTRIBUTE.test(String(cookie.options[name])))
      .map((name) =>
        problem(
          `cookies.${key}.options.${name}`,
          `is ${JSON.stringify(cookie?.options?.[name])}, which no cookie can carry`,
        ),
      ),
  ])

const checkProviders: Check = (config, resolved) => {
  if (config.providers !== undefined && !Array.isArray(config.providers))
    return [problem("providers", "is not a list. Write { providers: [GitHub] }")]
  if (resolved.providers.length === 0)
    return [warning("no-providers", "providers is empty: nobody can sign in. Write { providers: [GitHub] }")]
  return resolved.providers.flatMap((provider, index) => checkProvider(provider, `providers[${index}]`, resolved))
}

const effectiveId = (provider: ProviderObject): string => String(provider.options?.id ?? provider.id)

/** An id stands in addresses and names variables. */
const PROVIDER_ID = /^[\w.~-]+$/

function checkProvider(
  provider: ProviderObject,
  path: string,
  resolved: ResolvedConfig,
): readonly (ConfigProblem | ConfigWarning)[] {
  const id = effectiveId(provider)
  const method = METHODS[provider.type]
  if (!method)
    return [
      problem(
        path,
        `is of type "${String(provider.type)}", which this version can't do. It does ${Object.keys(METHODS).join(", ")}`,
      ),
    ]
  const twin = resolved.providers.findIndex((other) => effectiveId(other) === id)
  return [
    ...(PROVIDER_ID.test(id)
      ? []
      : [problem(`${path}.id`, `is ${JSON.stringify(id)}. Write letters, digits and "-": it stands in addresses`)]),
    ...(resolved.providers[twin] === provider
      ? []
      : [
          problem(
            `${path}.id`,
            `is "${id}", and so is providers[${twin}].id. Give one of them another: { id: "${id}-2" }`,
          ),
        ]),
    ...method.check(provider, path, resolved),
    ...("verifyIdToken" in provider && provider.verifyIdToken === false
      ? [
          warning(
            "unverified-id-token",
            `${path} (${id}) accepts id_tokens without their signature. Remove verifyIdToken: false`,
          ),
        ]
      : []),
  ]
}

const DATABASE_METHODS: readonly AdapterMethod[] = [
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "linkAccount",
  "createSession",
  "getSessionAndUser",
  "updateSession",
  "deleteSession",
]

const has = (adapter: Adapter, method: AdapterMethod) => typeof adapter[method] === "function"

const checkAdapter: Check = (config, { adapter, session, providers }) => {
  if (!adapter) {
    if (session.strategy !== "database") return []
    const onlyCredentials = providers.length > 0 && providers.every(({ type }) => type === "credentials")
    return [
      onlyCredentials
        ? problem(
            "session.strategy",
            'is "database", and there is no adapter to keep sessions in. Write { strategy: "jwt" }, or give an adapter',
            "UnsupportedStrategy",
          )
        : problem(
            "adapter",
            'is missing, and session.strategy is "database". Give an adapter, or write { session: { strategy: "jwt" } }',
            "MissingAdapter",
          ),
    ]
  }
  const needed = new Set(providers.flatMap(({ type }) => METHODS[type]?.needs.adapter ?? []))
  if (session.strategy === "database" || config.session?.strategy === undefined)
    for (const name of DATABASE_METHODS) needed.add(name)
  const missing = [...needed].filter((method) => !has(adapter, method))
  if (missing.length === 0) return []
  return [
    problem(
      "adapter",
      `has no ${missing.join(", ")}. Use an adapter that has, or add ${missing.length === 1 ? "it" : "them"}`,
      "MissingAdapterMethods",
    ),
  ]
}

const checkSwitches: Check = (_, { debug, skipsCsrfCheck }) => [
  ...(debug ? [warning("debug-enabled", "debug is on: every step is logged, secrets masked")] : []),
  ...(skipsCsrfCheck
    ? [warning("csrf-disabled", "skipCSRFCheck is set: forged sign-ins and sign-outs are not refused")]
    : []),
]

const isProblem = (finding: ConfigProblem | ConfigWarning): finding is ConfigProblem => "path" in finding

/** Everything that can be known before the first request. The secret comes first, then the providers. */
export function checkConfig(config: AuthConfig, resolved: ResolvedConfig): ConfigReport {
  const checks = [
    checkSecret,
    checkProviders,
    checkAdapter,
    checkOptionNames,
    checkValues,
    checkViews,
    checkCookies,
    checkSwitches,
  ]
  const findings = checks.flatMap((check) => check(config, resolved))
  return { problems: findings.filter(isProblem), warnings: findings.filter((f): f is ConfigWarning => !isProblem(f)) }
}
