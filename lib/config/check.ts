/**
 * Finds all problems of a configuration. Pure.
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

/** Rejects a list whose first secret is not set: an older secret would silently encrypt new tokens. */
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
  const short = secrets.map((secret) => secret.trim().length).filter((length) => length < MIN_SECRET_LENGTH)
  if (short.length === 0) return []
  const report = isProduction ? configProblem : warning
  const seen = `has ${short[0]} characters, but needs at least ${MIN_SECRET_LENGTH} in production`
  return [report("secret-too-short", option, seen, "Generate one with `npx latchkey secret`")]
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
      "is missing or also the secret of the sessions, so each deployment behind the proxy can forge sessions of all the others",
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
        `has the path ${path}, but basePath is ${basePath}, which is used`,
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

/** The options whose members are functions, with the names of these members. */
const FUNCTIONS: Readonly<Record<string, readonly string[] | undefined>> = {
  callbacks: OPTIONS.callbacks,
  events: OPTIONS.events,
  session: ["generateSessionToken"],
  jwt: ["encode", "decode"],
}

/** Checks that callbacks and events are functions. Other values would fail at the first sign-in. Null means not set. */
const checkFunctions: Check = (config) =>
  Object.entries(FUNCTIONS).flatMap(([option, names]) =>
    Object.entries(Object(Reflect.get(config, option)))
      .filter(([name, value]) => names?.includes(name) && value !== undefined && value !== null)
      .filter(([, value]) => typeof value !== "function")
      .map(([name, value]) => ({
        ...invalidOption(`${option}.${name}`, `is ${describeType(value)}`, "Write a function, or leave it out"),
        // Auth.js fails only when the function is called.
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

/** Checks that `isActive` can end sessions. */
const checkActivity: Check = (_, { isActive, store, session }) =>
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

/** Checks the requirements of a sign-in, and that there is a store in which sign-ins can wait. */
const checkRequirements: Check = (_, { requirements, store }) => {
  const names = requirements.map((requirement) => Object(requirement).name)
  const invalid = requirements.findIndex((one, index) => !isRequirement(one) || names.indexOf(names[index]) !== index)
  return listProblems(
    invalid !== -1 &&
      invalidOption(
        `requirements[${invalid}]`,
        "is not a requirement, or has the name of another one",
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
/** Longer than a year: the user would hardly remember the trust in a browser. */
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

/** Checks the second factor, and that there is a store that keeps it: a lost record would turn it off. */
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
    checkActivity,
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
