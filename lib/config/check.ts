/**
 * What is wrong with a configuration, all of it at once. Pure.
 *
 * @module
 */
import { type ConfigProblem, configProblem } from "../errors.js"
import type { AuthConfig } from "../types.js"
import { checkCookies, checkLocales, checkOptionNames, checkValues, checkViews } from "./check-options.js"
import { checkAdapter, checkProviders } from "./check-providers.js"
import { MIN_SECRET_LENGTH } from "./defaults.js"
import { type Check, type ConfigWarning, type Finding, warning } from "./finding.js"
import type { ResolvedConfig } from "./resolve.js"

export interface ConfigReport {
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigWarning[]
}

const NEW_SECRET = "node -e \"console.log(require('crypto').randomBytes(33).toString('base64'))\""

const checkSecret: Check = (_, { secrets, isProduction }) => {
  if (secrets.length === 0)
    return [
      configProblem(
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
      ? configProblem("secret", message)
      : warning("weak-secret", `secret ${message}; production refuses to start with it`),
  ]
}

const checkAuthUrl: Check = (_, { unusedAuthUrl: { text, path }, basePath }) => [
  ...(text
    ? [configProblem("AUTH_URL", `is "${text}", which is no address of a site. Write https://example.com`)]
    : []),
  ...(path
    ? [
        warning(
          "env-url-basepath-mismatch",
          `AUTH_URL has the path ${path} and basePath is ${basePath}: basePath counts`,
        ),
      ]
    : []),
]

const checkSwitches: Check = (_, { debug, enablesWebAuthn, skipsCsrfCheck, trustHost, isProduction }) => [
  ...(enablesWebAuthn
    ? [warning("experimental-webauthn", "passkeys are on: their options may still change between minor versions")]
    : []),
  ...(isProduction && !trustHost
    ? [
        warning(
          "untrusted-host",
          "no host is trusted, so every request will be refused. Set AUTH_URL to the site's address",
        ),
      ]
    : []),
  ...(debug ? [warning("debug-enabled", "debug is on: every step is logged, secrets masked")] : []),
  ...(skipsCsrfCheck
    ? [warning("csrf-disabled", "skipCSRFCheck is set: forged sign-ins and sign-outs are not refused")]
    : []),
]

const isProblem = (finding: Finding): finding is ConfigProblem => "path" in finding

/** Everything that can be known before the first request. The secret comes first, then the providers. */
export function checkConfig(config: AuthConfig, resolved: ResolvedConfig): ConfigReport {
  const checks = [
    checkSecret,
    checkAuthUrl,
    checkProviders,
    checkAdapter,
    checkOptionNames,
    checkValues,
    checkViews,
    checkLocales,
    checkCookies,
    checkSwitches,
  ]
  const findings = checks.flatMap((check) => check(config, resolved))
  return { problems: findings.filter(isProblem), warnings: findings.filter((f): f is ConfigWarning => !isProblem(f)) }
}
