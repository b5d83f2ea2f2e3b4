/**
 * What is wrong with a configuration, all of it at once. Pure.
 *
 * @module
 */
import { type ConfigProblem, configProblem } from "../errors.js"
import type { AuthConfig } from "../types.js"
import { checkCookies } from "./check-cookies.js"
import { checkFunctions } from "./check-functions.js"
import { checkHosts } from "./check-hosts.js"
import { checkLocales, checkOptionNames, checkValues, checkViews } from "./check-options.js"
import { checkAdapter, checkProviders, checkSignUps } from "./check-providers.js"
import { checkRedirectProxyOrigins, redirectProxyUrls } from "./check-redirect-proxy.js"
import { MIN_SECRET_LENGTH } from "./defaults.js"
import { checkDevProviders, isTemporary } from "./dev-provider.js"
import { type Check, type ConfigWarning, type Finding, warning } from "./finding.js"
import type { ResolvedConfig } from "./resolve.js"

export interface ConfigReport {
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigWarning[]
}

/** The first secret signs. If it is not set, an earlier one would sign unnoticed. */
function checkFirstSecret(path: string, secret: unknown): ConfigProblem[] {
  if (!Array.isArray(secret) || secret.length === 0) return []
  const [first]: unknown[] = secret
  if (first !== undefined && first !== null) return []
  const message = `is ${first}, and the first secret is the one that signs. Set it, or leave it out of the list`
  return [configProblem("secret-missing", `${path}[0]`, message)]
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
        "is missing and AUTH_SECRET is not set. Run `npx latchkey secret --write` and start with node --env-file=.env, or set AUTH_SECRET",
      ),
    ]
  if (isTemporary(secrets, providers))
    return [
      warning(
        "temporary-secret",
        "no secret is set, and one was made for this process: when it ends, so do all sessions. Keep one with `npx latchkey secret --write`",
      ),
    ]
  return checkLengths("secret", secrets, isProduction)
}

function checkLengths(option: string, secrets: readonly string[], isProduction: boolean): Finding[] {
  // Blanks about it, the line's end of a file for instance, are nothing that has to be guessed.
  const short = secrets.map((secret) => secret.trim().length).filter((length) => length < MIN_SECRET_LENGTH)
  if (short.length === 0) return []
  const message = `has ${short[0]} characters, and ${MIN_SECRET_LENGTH} are the least. Make one with \`npx latchkey secret\``
  return [
    isProduction
      ? configProblem("secret-too-short", option, message)
      : warning("weak-secret", `${option} ${message}; production refuses to start with it`),
  ]
}

const checkProxySecret: Check = (_, resolved) => {
  const { redirectProxySecrets, secrets, isProduction } = resolved
  const [own] = redirectProxySecrets
  const isShared = own === undefined || secrets.includes(own)
  if (!isShared || redirectProxyUrls(resolved).length === 0)
    return checkLengths("redirectProxySecret", redirectProxySecrets, isProduction)
  return [
    warning(
      "redirect-proxy-secret-shared",
      "redirectProxyUrl seals its states with the secret of the sessions, so that each deployment behind the proxy can make sessions of all the others. Set AUTH_REDIRECT_PROXY_SECRET on all of them, and another AUTH_SECRET on each",
    ),
  ]
}

const checkAuthUrl: Check = (_, { unusedAuthUrl: { text, path }, basePath }) => [
  ...(text
    ? [
        configProblem(
          "auth-url-invalid",
          "AUTH_URL",
          `is "${text}", which is no address of a site. Write https://example.com`,
        ),
      ]
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

const checkSwitches: Check = (_, { debug, skipsCsrfCheck }) => [
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
    checkSecretLists,
    checkProxySecret,
    checkRedirectProxyOrigins,
    checkAuthUrl,
    checkHosts,
    checkProviders,
    checkDevProviders,
    checkSignUps,
    checkAdapter,
    checkOptionNames,
    checkFunctions,
    checkValues,
    checkViews,
    checkLocales,
    checkCookies,
    checkSwitches,
  ]
  const findings = checks.flatMap((check) => check(config, resolved))
  return { problems: findings.filter(isProblem), warnings: findings.filter((f): f is ConfigWarning => !isProblem(f)) }
}
