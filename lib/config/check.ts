/**
 * Finds the problems of a configuration that can be found without a request.
 *
 * @module
 */

import { describeType } from "../base/text.js"
import { type ConfigProblem, configProblem, invalidOption, listProblems } from "../errors/errors.js"
import { missingPackages } from "../second-factor/library.js"
import { SECOND_FACTOR } from "../second-factor/second-factor.js"
import type { AuthConfig } from "./auth-config.js"
import { checkCookies } from "./check-cookies.js"
import { checkHosts } from "./check-hosts.js"
import { checkLocales, checkOptionNames, checkValues, checkViews, OPTIONS } from "./check-options.js"
import { checkAdapter, checkProviders, checkSignUps, checkTokenStore } from "./check-providers.js"
import { checkRedirectProxyOrigins, redirectProxyUrls } from "./check-redirect-proxy.js"
import { MIN_SECRET_LENGTH } from "./defaults.js"
import { checkDevProviders, hasTemporarySecret } from "./dev-provider.js"
import { type Check, type Finding, warning } from "./finding.js"
import type { ReadySecondFactor, ResolvedConfig } from "./resolved-config.js"

export interface ConfigReport {
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

/**
 * Reports a list whose first secret is not set. Without this check, the second secret, which is older, would encrypt
 * new tokens.
 */
function checkFirstSecret(path: string, secret: unknown): ConfigProblem[] {
  if (!Array.isArray(secret) || secret.length === 0) return []
  const [first]: unknown[] = secret
  if (first !== undefined && first !== null) return []
  const seen = `is ${first}, but the first secret is the one that encrypts`
  return [configProblem("secret-missing", `${path}[0]`, seen, "Set it, or remove it from the list")]
}

const checkSecretLists: Check = ({ secret, jwt }) => [
  ...checkFirstSecret("secret", secret),
  ...checkFirstSecret("jwt.secret", jwt?.secret),
]

const checkSecret: Check = (_, { secrets, providers, isProduction }) => {
  if (secrets.length === 0)
    return [
      configProblem(
        "secret-missing",
        "secret",
        "is missing and AUTH_SECRET is not set",
        "Run `npx latchkey secret --write` and start with node --env-file=.env, or set AUTH_SECRET",
      ),
    ]
  if (hasTemporarySecret(secrets, providers))
    return [
      warning(
        "secret-missing",
        "secret",
        "is missing, so a temporary one is used: all sessions end with this process",
        "Store a secret with `npx latchkey secret --write`",
      ),
    ]
  return checkLengths("secret", secrets, isProduction)
}

function checkLengths(option: string, secrets: readonly string[], isProduction: boolean): Finding[] {
  // Surrounding white space, such as the newline at the end of a file, adds no entropy.
  const shortLengths = secrets.map((secret) => secret.trim().length).filter((length) => length < MIN_SECRET_LENGTH)
  if (shortLengths.length === 0) return []
  const createFinding = isProduction ? configProblem : warning
  const seen = `has ${shortLengths[0]} characters, but needs at least ${MIN_SECRET_LENGTH} in production`
  return [createFinding("secret-too-short", option, seen, "Generate one with `npx latchkey secret`")]
}

const checkProxySecret: Check = (_, resolved) => {
  const { redirectProxySecrets, secrets, isProduction } = resolved
  const [proxySecret] = redirectProxySecrets
  const isShared = proxySecret === undefined || secrets.includes(proxySecret)
  if (!isShared || redirectProxyUrls(resolved).length === 0)
    return checkLengths("redirectProxySecret", redirectProxySecrets, isProduction)
  return [
    warning(
      "redirect-proxy-secret-shared",
      "redirectProxySecret",
      "is missing or equals a session secret, so each deployment behind the proxy can forge sessions of all others",
      "Set the same AUTH_REDIRECT_PROXY_SECRET on all deployments, and a different AUTH_SECRET on each",
    ),
  ]
}

const checkAuthUrl: Check = (_, { unusedAuthUrl: { invalidText, path }, basePath }) =>
  listProblems<Finding>(
    invalidText &&
      invalidOption("AUTH_URL", `is "${invalidText}", which is not an http or https URL`, "Write https://example.com"),
    path &&
      warning(
        "env-url-basepath-mismatch",
        "AUTH_URL",
        `has the path ${path}, but basePath is ${basePath}. The basePath is used`,
        "Remove one of the two",
      ),
  )

const checkSwitches: Check = (_, { debug, skipsCsrfCheck }) =>
  listProblems(
    debug &&
      warning(
        "debug-enabled",
        "debug",
        "is on, so each step is logged, with secrets masked",
        "Remove it in production",
      ),
    skipsCsrfCheck &&
      warning(
        "csrf-disabled",
        "skipCSRFCheck",
        "is set, so forged sign-ins and sign-outs are not refused",
        "Remove it",
      ),
  )

/** The functions that `checkFunctions` checks, by the option that contains them. */
const FUNCTION_NAMES: Readonly<Record<string, readonly string[] | undefined>> = {
  callbacks: OPTIONS.callbacks,
  events: OPTIONS.events,
  session: ["generateSessionToken"],
  jwt: ["encode", "decode"],
  rateLimit: ["account"],
}

/**
 * Checks that the members in `FUNCTION_NAMES` are functions. Other values would fail only when they are called. Null
 * means not set.
 */
const checkFunctions: Check = (config) =>
  Object.entries(FUNCTION_NAMES).flatMap(([option, names]) =>
    Object.entries(Object(Reflect.get(config, option)))
      .filter(([name, value]) => names?.includes(name) && value !== undefined && value !== null)
      .filter(([, value]) => typeof value !== "function")
      .map(([name, value]) => ({
        ...invalidOption(`${option}.${name}`, `is ${describeType(value)}`, "Write a function, or leave it out"),
        // Recoverable, because Auth.js also starts with such a value, and fails only when it calls the function.
        isRecoverable: true as const,
      })),
  )

const REQUIREMENT_NAME = /^[\w-]{1,64}$/

const isRequirement = (value: unknown): boolean => {
  const { name, isOpen, page }: Record<string, unknown> = Object(value)
  return (
    typeof name === "string" &&
    REQUIREMENT_NAME.test(name) &&
    name !== SECOND_FACTOR &&
    typeof isOpen === "function" &&
    typeof page === "string"
  )
}

/** Checks that sessions are recorded in a store, so that `isActive` can end them. */
const checkIsActive: Check = (_, { isActive, store, session }) =>
  !isActive || (store && session.revocable)
    ? []
    : [
        configProblem(
          store ? "option-invalid" : "store-missing",
          store ? "session.revocable" : "store",
          store
            ? "is false, but isActive can end only recorded sessions"
            : "is missing, but isActive needs it to end sessions",
          store ? "Remove session.revocable: false" : 'Write { store: SqlStore({ sqlite: "auth.db" }) }',
        ),
      ]

/** Checks the requirements, and that there is a store, which keeps a sign-in until its requirements are met. */
const checkRequirements: Check = (_, { requirements, store }) => {
  const names = requirements.map((requirement) => Object(requirement).name)
  const invalidIndex = requirements.findIndex(
    (requirement, index) => !isRequirement(requirement) || names.indexOf(names[index]) !== index,
  )
  return listProblems(
    invalidIndex !== -1 &&
      invalidOption(
        `requirements[${invalidIndex}]`,
        "is not a valid requirement, or its name is reserved or used by an earlier requirement",
        'Write { name: "terms", isOpen: ({ user }) => …, page: "/terms" }',
      ),
    requirements.length > 0 &&
      !store &&
      configProblem(
        "store-missing",
        "store",
        "is missing, but a sign-in waits in it until the requirements are met",
        'Write { store: SqlStore({ sqlite: "auth.db" }) }',
      ),
  )
}

const FACTOR_METHODS: readonly unknown[] = ["totp", "passkey", "recovery"]
/** Limits `rememberDeviceDays` to about a year: after a longer time, users hardly know which browsers they trust. */
const MAX_REMEMBER_DAYS = 400

function checkFactorOptions({ methods, required, issuer, rememberDeviceDays: days }: ReadySecondFactor): Finding[] {
  const isList = Array.isArray(methods) && methods.every((name) => FACTOR_METHODS.includes(name))
  return listProblems<Finding>(
    !(isList && methods.includes("totp")) &&
      invalidOption(
        "secondFactor.methods",
        `is ${JSON.stringify(methods)}`,
        'Write a list with "totp", and "passkey" and "recovery" if you want them: ["totp", "passkey", "recovery"]',
      ),
    typeof required !== "function" &&
      invalidOption(
        "secondFactor.required",
        `is ${describeType(required)}`,
        'Write a function: (user) => user.role === "admin"',
      ),
    issuer !== undefined &&
      !(typeof issuer === "string" && issuer.trim() !== "") &&
      invalidOption("secondFactor.issuer", `is ${describeType(issuer)}`, 'Write the name of the site: "Example"'),
    !(Number.isInteger(days) && days >= 0 && days <= MAX_REMEMBER_DAYS) &&
      invalidOption(
        "secondFactor.rememberDeviceDays",
        `is ${String(days)}`,
        `Write a whole number of days, at most ${MAX_REMEMBER_DAYS}: 30`,
      ),
  )
}

/**
 * Checks the options of the second factor, its packages and its store. In production the store must be durable, because
 * a lost record would turn a user's second factor off.
 */
const checkSecondFactor: Check = (_, { secondFactor, store, isProduction }) => {
  if (!secondFactor) return []
  const missing = missingPackages()
  return listProblems<Finding>(
    ...checkFactorOptions(secondFactor),
    missing.length > 0 &&
      configProblem(
        "package-missing",
        "secondFactor",
        "needs packages that are not installed",
        `Run npm install ${missing.join(" ")}`,
      ),
    !store &&
      configProblem(
        "store-missing",
        "store",
        "is missing, but the second factors of users are kept in it",
        'Write { store: SqlStore({ sqlite: "auth.db" }) }',
      ),
    store &&
      !store.durable &&
      isProduction &&
      configProblem(
        "store-not-durable",
        "store",
        "does not keep its records, so users would lose their second factor",
        "Write { store: SqlStore({ postgres: process.env.DATABASE_URL }) }",
      ),
  )
}

/** Runs all checks that need no request. Problems are listed in the order of the checks. */
export function checkConfig(config: AuthConfig, resolved: ResolvedConfig): ConfigReport {
  const checks = [
    checkSecret,
    checkSecretLists,
    checkProxySecret,
    checkRedirectProxyOrigins,
    checkAuthUrl,
    checkHosts,
    checkProviders,
    checkDevProviders,
    checkSignUps,
    checkTokenStore,
    checkAdapter,
    checkRequirements,
    checkSecondFactor,
    checkIsActive,
    checkOptionNames,
    checkFunctions,
    checkValues,
    checkViews,
    checkLocales,
    checkCookies,
    checkSwitches,
  ]
  const findings = checks.flatMap((check) => check(config, resolved))
  return {
    problems: findings.filter(({ isWarning }) => !isWarning),
    warnings: findings.filter(({ isWarning }) => isWarning),
  }
}
