import { configProblem } from "../errors.js"
import { trimPath } from "../http/action.js"
import { viewsProblem } from "../pages/templates.js"
import { catalogueProblems, localeProblem } from "../pages/texts.js"
import { isCssColor } from "../pages/theme.js"
import { DEFAULT_LIMITS, type RateLimit } from "../security/rate-limit.js"
import type { AuthConfig } from "../types.js"
import { DEFAULT_BASE_PATH } from "./defaults.js"
import { type Check, warning } from "./finding.js"
import { kindOf } from "./kind-of.js"
import { nearestName } from "./nearest-name.js"

// The keys of the defaults are the names.
const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as RateLimit["name"][]

/** The names of options. The types keep them complete: a new option that is not listed fails to compile. */
export const OPTIONS: Record<keyof AuthConfig, readonly string[] | undefined> = {
  providers: undefined,
  secret: undefined,
  session: ["strategy", "maxAge", "updateAge", "absoluteMaxAge", "generateSessionToken", "hostPrefix", "maxCookieSize"],
  jwt: ["secret", "maxAge", "encode", "decode"],
  pages: ["signIn", "signOut", "error", "verifyRequest", "newUser"],
  callbacks: ["signIn", "redirect", "session", "jwt"],
  events: ["signIn", "signOut", "createUser", "updateUser", "confirmEmailOwner", "linkAccount", "session"],
  adapter: undefined,
  debug: undefined,
  logger: undefined,
  theme: ["colorScheme", "logo", "brandColor", "buttonText", "locale", "locales"],
  views: undefined,
  useSecureCookies: undefined,
  cookies: ["sessionToken", "callbackUrl", "csrfToken", "pkceCodeVerifier", "state", "nonce", "webauthnChallenge"],
  trustHost: undefined,
  skipCSRFCheck: undefined,
  raw: undefined,
  redirectProxyUrl: undefined,
  redirectProxySecret: undefined,
  redirectProxyOrigins: undefined,
  experimental: ["enableWebAuthn"],
  basePath: undefined,
  prefix: undefined,
  rateLimit: [...LIMIT_NAMES, "windowSeconds", "account", "limiter"],
  maxAccountsPerUser: undefined,
  clock: undefined,
}

/** A name that nobody reads: an error when it looks like a slip of the pen, else a warning. */
function checkNames(object: object, known: readonly string[], prefix: string) {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearestName(name, known)
      if (meant)
        return {
          ...configProblem("option-misspelt", prefix + name, `is no option. Did you mean \`${meant}\`?`),
          isServable: true as const,
        }
      return warning("unknown-option", `${prefix}${name} is no option and is ignored; there are ${known.join(", ")}`)
    })
}

/** What a condition leaves says nothing, and limits can be switched on or off. */
const isSwitch = (name: string, value: unknown): boolean => value === false || (value === true && name === "rateLimit")

/** The options within an option; one that has them and is no object would be passed over, rules and all. */
function checkWithin(name: string, value: unknown, known: readonly string[]) {
  if (value === undefined || value === null || isSwitch(name, value)) return []
  if (typeof value === "object" && !Array.isArray(value)) return checkNames(value, known, `${name}.`)
  const message = `is ${kindOf(value)}. Write an object: { ${name}: { ${known[0]}: … } }`
  return [{ ...configProblem("option-kind-wrong", name, message), isServable: true as const }]
}

export const checkOptionNames: Check = (config) => [
  ...checkNames(config, Object.keys(OPTIONS), ""),
  ...Object.entries(OPTIONS).flatMap(([name, known]) =>
    known ? checkWithin(name, Reflect.get(config, name), known) : [],
  ),
]

/** Ten years: longer is a slip, milliseconds for instance. */
const MAX_SECONDS = 10 * 365 * 24 * 60 * 60

/** Our own addresses of the pages: a page of the application's own there would be redirected to itself. */
const OWN_PAGES = { signIn: "signin", signOut: "signout", error: "error", verifyRequest: "verify-request" } as const

const checkPages: Check = (_, { pages, proxyPrefix, basePath = DEFAULT_BASE_PATH }) =>
  Object.entries(OWN_PAGES).flatMap(([name, action]) => {
    const page = Reflect.get(pages, name)
    if (typeof page !== "string" || trimPath(page.split(/[?#]/, 1)[0] ?? "") !== `${proxyPrefix}${basePath}/${action}`)
      return []
    return [
      configProblem(
        "page-leads-to-itself",
        `pages.${name}`,
        `is "${page}", which is the built-in page and would lead to itself. Leave it out`,
      ),
    ]
  })

const isSeconds = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= MAX_SECONDS

/** Below, there would be no room for a session; above, Node.js itself refuses requests. */
const isCookieSize = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 4_096 && Number(value) <= 16_384

const checkRateLimit: Check = (_, { rateLimit }) =>
  rateLimit === false
    ? []
    : ([...LIMIT_NAMES, "windowSeconds"] as const)
        .filter(
          (name) => rateLimit[name] !== undefined && !(isSeconds(rateLimit[name]) && Number(rateLimit[name]) >= 1),
        )
        .map((name) =>
          configProblem(
            "number-out-of-range",
            `rateLimit.${name}`,
            `is ${String(rateLimit[name])}. Write a number, 1 or more`,
          ),
        )

const checkAccounts: Check = (_, { maxAccountsPerUser: most }) =>
  Number.isInteger(most) && most >= 1
    ? []
    : [
        configProblem(
          "number-out-of-range",
          "maxAccountsPerUser",
          `is ${String(most)}. Write a whole number, 1 or more`,
        ),
      ]

export const checkValues: Check = (config, resolved) => [
  ...checkTimes(config, resolved),
  ...checkRateLimit(config, resolved),
  ...checkAccounts(config, resolved),
  ...checkTexts(config, resolved),
  ...checkPages(config, resolved),
]

const checkTimes: Check = (config, { session, jwt }) => [
  ...(["maxAge", "updateAge"] as const)
    .filter((name) => !isSeconds(session[name]))
    .map((name) =>
      configProblem(
        "number-out-of-range",
        `session.${name}`,
        `is ${String(session[name])}. Write a number of seconds, 86400 for a day`,
      ),
    ),
  ...(session.absoluteMaxAge === undefined || (isSeconds(session.absoluteMaxAge) && session.absoluteMaxAge >= 1)
    ? []
    : [
        configProblem(
          "number-out-of-range",
          "session.absoluteMaxAge",
          `is ${String(session.absoluteMaxAge)}. Write a number of seconds, 43200 for half a day`,
        ),
      ]),
  ...(isCookieSize(session.maxCookieSize)
    ? []
    : [
        configProblem(
          "number-out-of-range",
          "session.maxCookieSize",
          `is ${String(session.maxCookieSize)}. Write a number of bytes from 4096 to 16384, 7168 for proxies with their default limits`,
        ),
      ]),
  ...(config.jwt?.maxAge === undefined || isSeconds(jwt.maxAge)
    ? []
    : [configProblem("number-out-of-range", "jwt.maxAge", `is ${String(jwt.maxAge)}. Write a number of seconds`)]),
]

const checkTexts: Check = (config, { session, theme, basePath, redirectProxyUrl }) => [
  ...(["jwt", "database"].includes(session.strategy)
    ? []
    : [
        configProblem(
          "session-strategy-unknown",
          "session.strategy",
          `is "${String(session.strategy)}". Write "jwt" or "database"`,
        ),
      ]),
  ...(["brandColor", "buttonText"] as const)
    .filter((name) => theme[name] && !isCssColor(theme[name]))
    .map((name) =>
      configProblem(
        "colour-invalid",
        `theme.${name}`,
        `is ${JSON.stringify(theme[name])}, which is no CSS colour. Write "#346df1" for instance`,
      ),
    ),
  ...(theme.logo && typeof theme.logo !== "string"
    ? [
        configProblem(
          "option-kind-wrong",
          "theme.logo",
          `is ${kindOf(theme.logo)}. Write an address as text: "/logo.svg"`,
        ),
      ]
    : []),
  ...(basePath !== undefined && /[?#\\\s]|\/\//.test(basePath)
    ? [configProblem("base-path-invalid", "basePath", `is "${basePath}". Write a path: "/auth"`)]
    : []),
  ...(redirectProxyUrl && !URL.canParse(redirectProxyUrl)
    ? [
        configProblem(
          "redirect-proxy-url-invalid",
          "redirectProxyUrl",
          `is "${redirectProxyUrl}", which is not a URL. Write "https://auth.example.com/auth"`,
        ),
      ]
    : []),
  ...(config.prefix && config.basePath && config.prefix !== config.basePath
    ? [
        configProblem(
          "base-path-twice",
          "prefix",
          `is "${config.prefix}" beside basePath "${config.basePath}": they are two names of one option. Write one of them`,
        ),
      ]
    : []),
]

export const checkViews: Check = (_, { views }) => {
  const found = viewsProblem(views)
  return found
    ? [configProblem("views-unusable", "views", found)]
    : catalogueProblems(views).map((text) => configProblem("views-unusable", "views", text))
}

export const checkLocales: Check = (_, { theme: { locale, locales }, views }) => {
  if (locales !== undefined && (!Array.isArray(locales) || locales.length === 0))
    return [
      configProblem("locale-invalid", "theme.locales", `is ${JSON.stringify(locales)}. Write a list: ["en", "de"]`),
    ]
  if (locale !== undefined && locales !== undefined)
    return [
      configProblem(
        "locale-invalid",
        "theme.locales",
        "stands beside theme.locale, which is one language for everybody. Write one",
      ),
    ]
  const given = locale === undefined ? (locales ?? []) : [locale]
  const path = locale === undefined ? "theme.locales" : "theme.locale"
  return given
    .map((tag) => localeProblem(tag, views))
    .flatMap((found) => (found === undefined ? [] : [configProblem("locale-invalid", path, found)]))
}
