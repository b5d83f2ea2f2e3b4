/**
 * Removes options of the wrong type and reports them, so that other code can rely on the declared types even if the
 * application is written in JavaScript.
 *
 * @module
 */

import { isPlainObject } from "../base/merge.js"
import { describeType } from "../base/text.js"
import { type ConfigProblem, invalidOption } from "../errors/errors.js"
import { isStore } from "../store/store.js"
import type { AuthConfig } from "./auth-config.js"

interface OptionType {
  readonly accepts: (value: unknown) => boolean
  readonly fix: string
}

const isText = (value: unknown): boolean => typeof value === "string"
const isFunction = (value: unknown): boolean => typeof value === "function"

const SECRET: OptionType = {
  accepts: (value) => isText(value) || Array.isArray(value),
  fix: "Write a string of 32 random characters or more, or a list of such strings",
}
const SECRET_ENTRY: OptionType = { accepts: isText, fix: "Write a string of 32 random characters or more" }
const PATH: OptionType = { accepts: isText, fix: 'Write a path: "/auth"' }

/** The types of the options whose values are used before `checkConfig` runs. */
const OPTION_TYPES: Readonly<Record<string, OptionType>> = {
  secret: SECRET,
  redirectProxySecret: SECRET,
  basePath: PATH,
  prefix: PATH,
  store: { accepts: isStore, fix: 'Write a store: SqlStore({ sqlite: "auth.db" })' },
  views: { accepts: isText, fix: 'Write the path of a folder: "./views/auth"' },
  trustHost: {
    accepts: (value) => typeof value === "boolean" || Array.isArray(value),
    fix: 'Write a list of hosts: ["example.com"]',
  },
  requirements: { accepts: Array.isArray, fix: 'Write a list: [{ name: "terms", isOpen, page: "/terms" }]' },
  isActive: { accepts: isFunction, fix: "Write a function: (user) => !bannedIds.has(user.id)" },
  clock: { accepts: isFunction, fix: "Write a function: () => Date.now()" },
  redirectProxyOrigins: { accepts: Array.isArray, fix: 'Write a list: ["https://*.example.com"]' },
}

/** True if the option is set and has the wrong type. Null means not set. */
const isMistyped = (value: unknown, { accepts }: OptionType): boolean =>
  value !== undefined && value !== null && !accepts(value)

const typeProblem = (path: string, value: unknown, { fix }: OptionType): ConfigProblem =>
  invalidOption(path, `is ${describeType(value)}`, fix)

/**
 * Reports entries of a list of secrets that are not text. If such an entry were ignored, an older secret would encrypt.
 */
function checkSecretEntries(path: string, secrets: unknown): ConfigProblem[] {
  if (!Array.isArray(secrets)) return []
  return secrets.flatMap((value: unknown, index) =>
    isMistyped(value, SECRET_ENTRY) ? [typeProblem(`${path}[${index}]`, value, SECRET_ENTRY)] : [],
  )
}

const isProvider = (value: unknown): boolean =>
  typeof value === "function" || (typeof value === "object" && value !== null)

/** Reports entries that are not providers, such as `false` from a condition, or undefined from a misspelt import. */
const checkProviderEntries = (providers: readonly unknown[]): ConfigProblem[] =>
  providers.flatMap((value, index) => {
    if (isProvider(value)) return []
    const seen = value === false ? "false" : describeType(value)
    const fix = "Write a provider. To include one conditionally, spread it: [GitHub, ...(isOn ? [Google] : [])]"
    return [invalidOption(`providers[${index}]`, `is ${seen}`, fix)]
  })

/** Removes entries of `providers` that are not providers. `checkProviders` reports a value that is not a list. */
function dropInvalidProviders(config: AuthConfig): { config: AuthConfig; problems: readonly ConfigProblem[] } {
  const { providers } = config
  const problems = Array.isArray(providers) ? checkProviderEntries(providers) : []
  return problems.length > 0
    ? { config: { ...config, providers: providers.filter(isProvider) }, problems }
    : { config, problems }
}

/** Returns the configuration without options of the wrong type, and a problem for each of them. */
export function dropMistypedOptions(original: AuthConfig): { config: AuthConfig; problems: readonly ConfigProblem[] } {
  const { config, problems: providerProblems } = dropInvalidProviders(original)
  const mistyped = Object.entries(OPTION_TYPES).filter(([name, type]) => isMistyped(Reflect.get(config, name), type))
  const { jwt } = config
  const problems = [
    ...providerProblems,
    ...mistyped.map(([name, type]) => typeProblem(name, Reflect.get(config, name), type)),
    ...checkSecretEntries("secret", config.secret),
    ...checkSecretEntries("redirectProxySecret", config.redirectProxySecret),
    ...checkSecretEntries("jwt.secret", isPlainObject(jwt) ? jwt.secret : undefined),
  ]
  const unset: Partial<AuthConfig> = Object.fromEntries(mistyped.map(([name]) => [name, undefined]))
  if (!isPlainObject(jwt) || !isMistyped(jwt.secret, SECRET)) return { config: { ...config, ...unset }, problems }
  const { secret, ...otherOptions } = jwt
  return {
    config: { ...config, ...unset, jwt: otherOptions },
    problems: [...problems, typeProblem("jwt.secret", secret, SECRET)],
  }
}
