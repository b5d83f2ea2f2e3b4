import { describeType } from "../base/text.js"
import { configProblem, invalidOption, listProblems } from "../errors/errors.js"
import { trimPath } from "../http/action.js"
import { viewsProblem } from "../pages/templates.js"
import { catalogueProblems, localeProblem } from "../pages/texts.js"
import { isCssColor } from "../pages/theme.js"
import { DEFAULT_LIMITS, type LimitName } from "../security/rate-limit.js"
import { HIGHEST_MAX_COOKIE_SIZE } from "../sessions/cookie-budget.js"
import type { AuthConfig } from "./auth-config.js"
import { DEFAULT_BASE_PATH } from "./defaults.js"
import { type Check, warning } from "./finding.js"
import { nearestName } from "./nearest-name.js"

const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as LimitName[]

/**
 * All options, with the names of their nested options. An option that is missing here is a type error.
 */
export const OPTIONS: Record<keyof AuthConfig, readonly string[] | undefined> = {
  providers: undefined,
  secret: undefined,
  session: [
    "strategy",
    "maxAge",
    "updateAge",
    "absoluteMaxAge",
    "remember",
    "generateSessionToken",
    "hostPrefix",
    "maxCookieSize",
    "revocable",
    "unregisteredUntil",
    "recordAddress",
    "keepOnFactorChange",
  ],
  jwt: ["secret", "maxAge", "encode", "decode"],
  pages: ["signIn", "signOut", "error", "verifyRequest", "newUser", "signUp", "forgotPassword"],
  callbacks: ["signIn", "redirect", "session", "jwt"],
  events: [
    "signIn",
    "signOut",
    "createUser",
    "updateUser",
    "confirmEmailOwner",
    "linkAccount",
    "session",
    "secondFactor",
  ],
  adapter: undefined,
  store: undefined,
  debug: undefined,
  logger: undefined,
  theme: ["colorScheme", "logo", "siteName", "brandColor", "buttonText", "locale", "locales", "layout", "lastUsed"],
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
  rateLimit: [...LIMIT_NAMES, "windowSeconds", "account"],
  requirements: undefined,
  isActive: undefined,
  secondFactor: ["methods", "required", "issuer", "rememberDeviceDays"],
  maxAccountsPerUser: undefined,
  clock: undefined,
}

/** Reports unknown option names: a name that is similar to a known name as a problem, any other name as a warning. */
function checkNames(object: object, known: readonly string[], prefix: string) {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known)
      if (nearest)
        return {
          ...configProblem("unknown-option", prefix + name, "is not an option", `Did you mean \`${nearest}\`?`),
          isRecoverable: true as const,
        }
      return warning(
        "unknown-option",
        prefix + name,
        "is not an option and is ignored",
        `Use one of ${known.join(", ")}, or remove it`,
      )
    })
}

/**
 * True if the value is a boolean that this option accepts instead of an object with nested options. `false` can come
 * from a condition: `isOn && {…}`. `rateLimit: true` means the default limits.
 */
const isBooleanAllowed = (name: string, value: unknown): boolean =>
  value === false || (value === true && name === "rateLimit")

/** Checks the names of nested options. Reports a value that is not an object, because it would be ignored silently. */
function checkNestedNames(name: string, value: unknown, known: readonly string[]) {
  if (value === undefined || value === null || isBooleanAllowed(name, value)) return []
  if (typeof value === "object" && !Array.isArray(value)) return checkNames(value, known, `${name}.`)
  const fix = `Write an object: { ${name}: { ${known[0]}: … } }`
  return [{ ...invalidOption(name, `is ${describeType(value)}`, fix), isRecoverable: true as const }]
}

export const checkOptionNames: Check = (config) => [
  ...checkNames(config, Object.keys(OPTIONS), ""),
  ...Object.entries(OPTIONS).flatMap(([name, known]) =>
    known ? checkNestedNames(name, Reflect.get(config, name), known) : [],
  ),
]

/** The maximum of an option that is a number of seconds: ten years. A larger number is probably in milliseconds. */
const MAX_SECONDS = 10 * 365 * 24 * 60 * 60

/**
 * The last segment of the path of each built-in page. A page of the application at this path would redirect to itself.
 */
const BUILT_IN_PAGES = {
  signIn: "signin",
  signOut: "signout",
  error: "error",
  verifyRequest: "verify-request",
} as const

const checkPages: Check = (_, { pages, proxyPrefix, basePath = DEFAULT_BASE_PATH }) =>
  Object.entries(BUILT_IN_PAGES).flatMap(([name, action]) => {
    const page = Reflect.get(pages, name)
    if (typeof page !== "string" || trimPath(page.split(/[?#]/, 1)[0] ?? "") !== `${proxyPrefix}${basePath}/${action}`)
      return []
    const seen = `is "${page}", which is the built-in page and would redirect to itself`
    return [invalidOption(`pages.${name}`, seen, "Remove it")]
  })

/** Checks the pages that the sign-in page links to. */
const checkLinkedPages: Check = (_, { pages }) =>
  (["signUp", "forgotPassword"] as const)
    .filter((name) => pages[name] !== undefined && !isLinkTarget(pages[name]))
    .map((name) =>
      invalidOption(`pages.${name}`, `is ${JSON.stringify(pages[name])}`, 'Write a path or an https URL: "/sign-up"'),
    )

/** True for a path on this site and for an http or https URL. Other schemes, such as javascript:, can run code. */
const isLinkTarget = (value: unknown): boolean =>
  typeof value === "string" && (value.startsWith("/") || (/^https?:/i.test(value) && URL.canParse(value)))

const isSeconds = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= MAX_SECONDS

/** True from 4096 bytes, which leave room for a session, to the highest size. */
const isCookieSize = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 4_096 && Number(value) <= HIGHEST_MAX_COOKIE_SIZE

const checkRateLimit: Check = (_, { rateLimit }) =>
  rateLimit === false
    ? []
    : ([...LIMIT_NAMES, "windowSeconds"] as const)
        .filter(
          (name) => rateLimit[name] !== undefined && !(isSeconds(rateLimit[name]) && Number(rateLimit[name]) >= 1),
        )
        .map((name) =>
          invalidOption(
            `rateLimit.${name}`,
            `is ${String(rateLimit[name])}`,
            `Write a number from 1 to ${MAX_SECONDS}`,
          ),
        )

const checkMaxAccounts: Check = (_, { maxAccountsPerUser }) =>
  Number.isInteger(maxAccountsPerUser) && maxAccountsPerUser >= 1
    ? []
    : [invalidOption("maxAccountsPerUser", `is ${String(maxAccountsPerUser)}`, "Write a whole number, 1 or more")]

export const checkValues: Check = (config, resolved) => [
  ...checkSessionLimits(config, resolved),
  ...checkSessionSettings(config, resolved),
  ...checkRateLimit(config, resolved),
  ...checkMaxAccounts(config, resolved),
  ...checkTexts(config, resolved),
  ...checkPages(config, resolved),
  ...checkLinkedPages(config, resolved),
]

const checkSessionLimits: Check = (config, { session, jwt }) => {
  const { absoluteMaxAge, maxCookieSize } = session
  return listProblems(
    ...(["maxAge", "updateAge"] as const).map(
      (name) =>
        !isSeconds(session[name]) &&
        invalidOption(
          `session.${name}`,
          `is ${String(session[name])}`,
          "Write a number of seconds, for example 86400 for a day",
        ),
    ),
    absoluteMaxAge !== undefined &&
      !(isSeconds(absoluteMaxAge) && absoluteMaxAge >= 1) &&
      invalidOption(
        "session.absoluteMaxAge",
        `is ${String(absoluteMaxAge)}`,
        "Write a number of seconds, for example 43200 for half a day",
      ),
    !isCookieSize(maxCookieSize) &&
      invalidOption(
        "session.maxCookieSize",
        `is ${String(maxCookieSize)}`,
        `Write a number of bytes from 4096 to ${HIGHEST_MAX_COOKIE_SIZE}; 7168 fits the default limits of proxies`,
      ),
    config.jwt?.maxAge !== undefined &&
      !isSeconds(jwt.maxAge) &&
      invalidOption("jwt.maxAge", `is ${String(jwt.maxAge)}`, "Write a number of seconds"),
  )
}

const isDate = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime())

const checkSessionSettings: Check = (_, { session: { remember, unregisteredUntil, recordAddress } }) =>
  listProblems(
    ![true, false, "ask"].includes(remember) &&
      invalidOption("session.remember", `is ${String(remember)}`, 'Write true, false or "ask"'),
    unregisteredUntil !== undefined &&
      !isDate(unregisteredUntil) &&
      invalidOption(
        "session.unregisteredUntil",
        `is ${describeType(unregisteredUntil)}`,
        'Write a date: new Date("2030-01-31")',
      ),
    ![false, "truncated", "full"].includes(recordAddress) &&
      invalidOption("session.recordAddress", `is ${String(recordAddress)}`, 'Write "truncated", "full" or false'),
  )

/**
 * True for a name of up to 60 characters in one line. A line break would end the subject of an email, and invisible
 * characters can reverse the direction of the text.
 */
const isSiteName = (value: unknown): boolean =>
  typeof value === "string" && value.trim() !== "" && value.length <= 60 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)

const checkTexts: Check = (config, { session, theme, basePath, redirectProxyUrl }) =>
  listProblems(
    !["jwt", "database"].includes(session.strategy) &&
      invalidOption("session.strategy", `is "${String(session.strategy)}"`, 'Write "jwt" or "database"'),
    ...(["brandColor", "buttonText"] as const).map(
      (name) =>
        theme[name] &&
        !isCssColor(theme[name]) &&
        invalidOption(
          `theme.${name}`,
          `is ${JSON.stringify(theme[name])}, which is not a CSS colour`,
          'Write a colour, for example "#346df1"',
        ),
    ),
    theme.logo &&
      typeof theme.logo !== "string" &&
      invalidOption("theme.logo", `is ${describeType(theme.logo)}`, 'Write a URL as a string: "/logo.svg"'),
    theme.siteName !== undefined &&
      !isSiteName(theme.siteName) &&
      invalidOption("theme.siteName", `is ${JSON.stringify(theme.siteName)}`, 'Write a name in one line: "Acme"'),
    theme.layout !== undefined &&
      !["form-first", "providers-first"].includes(theme.layout) &&
      invalidOption("theme.layout", `is ${JSON.stringify(theme.layout)}`, 'Write "form-first" or "providers-first"'),
    theme.lastUsed !== undefined &&
      typeof theme.lastUsed !== "boolean" &&
      invalidOption("theme.lastUsed", `is ${JSON.stringify(theme.lastUsed)}`, "Write true or false"),
    basePath !== undefined &&
      /[?#\\\s]|\/\//.test(basePath) &&
      invalidOption("basePath", `is "${basePath}"`, 'Write a path: "/auth"'),
    redirectProxyUrl &&
      !URL.canParse(redirectProxyUrl) &&
      invalidOption(
        "redirectProxyUrl",
        `is "${redirectProxyUrl}", which is not a URL`,
        'Write "https://auth.example.com/auth"',
      ),
    config.prefix &&
      config.basePath &&
      config.prefix !== config.basePath &&
      invalidOption(
        "prefix",
        `is "${config.prefix}", but basePath, which is the same option, is "${config.basePath}"`,
        "Set only one of them",
      ),
  )

export const checkViews: Check = (_, { views }) => {
  const seen = viewsProblem(views)
  return seen
    ? [configProblem("views-unusable", "views", seen, "Write the path of a folder with EJS templates, or leave it out")]
    : catalogueProblems(views).map((found) => configProblem("views-unusable", "views", found, "Correct this file"))
}

export const checkLocales: Check = (_, { theme: { locale, locales }, views }) => {
  if (locales !== undefined && (!Array.isArray(locales) || locales.length === 0))
    return [invalidOption("theme.locales", `is ${JSON.stringify(locales)}`, 'Write a list: ["en", "de"]')]
  if (locale !== undefined && locales !== undefined)
    return [
      invalidOption(
        "theme.locales",
        "is set together with theme.locale, which uses one language for all users",
        "Set only one of them",
      ),
    ]
  const tags = locale === undefined ? (locales ?? []) : [locale]
  const path = locale === undefined ? "theme.locales" : "theme.locale"
  return tags
    .map((tag) => localeProblem(tag, views))
    .flatMap((problem) => (problem ? [invalidOption(path, problem.seen, problem.fix)] : []))
}
