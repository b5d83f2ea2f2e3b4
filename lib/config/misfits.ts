/**
 * Options of another kind than they can be. Where there is a compiler it says so; everybody else is told with all that is
 * wrong besides, and whoever reads a configuration finds in it what the types promise.
 *
 * @module
 */
import { type ConfigProblem, configProblem } from "../errors.js"
import { isPlainObject } from "../merge.js"
import type { AuthConfig } from "../types.js"
import { kindOf } from "./kind-of.js"

interface Kind {
  readonly includes: (value: unknown) => boolean
  readonly advice: string
}

const isText = (value: unknown): boolean => typeof value === "string"

const SECRET: Kind = {
  includes: (value) => isText(value) || Array.isArray(value),
  advice: "Write a text of 32 random characters or more, or a list of such texts",
}
/** One of a list. */
const ONE_SECRET: Kind = { includes: isText, advice: "Write a text of 32 random characters or more" }
const PATH: Kind = { includes: isText, advice: 'Write a path: "/auth"' }

/** Those that something is made of before they are looked at. */
const KINDS: Readonly<Record<string, Kind>> = {
  secret: SECRET,
  redirectProxySecret: SECRET,
  basePath: PATH,
  prefix: PATH,
  views: { includes: isText, advice: 'Write the path of a folder: "./views/auth"' },
  trustHost: {
    includes: (value) => typeof value === "boolean" || Array.isArray(value),
    advice: 'Write a list of hosts: ["example.com"]',
  },
  redirectProxyOrigins: { includes: Array.isArray, advice: 'Write a list: ["https://*.example.com"]' },
}

/** Null says nothing, as `undefined` does. */
const isMisfit = (value: unknown, { includes }: Kind): boolean =>
  value !== undefined && value !== null && !includes(value)

const told = (path: string, value: unknown, { advice }: Kind): ConfigProblem =>
  configProblem("option-kind-wrong", path, `is ${kindOf(value)}. ${advice}`)

/** What a list of secrets has that is none: passed over, it would leave the site with those that were to go. */
function listMisfits(path: string, secrets: unknown): ConfigProblem[] {
  if (!Array.isArray(secrets)) return []
  return secrets.flatMap((value: unknown, index) =>
    isMisfit(value, ONE_SECRET) ? [told(`${path}[${index}]`, value, ONE_SECRET)] : [],
  )
}

const isProvider = (value: unknown): boolean =>
  typeof value === "function" || (typeof value === "object" && value !== null)

/** What a condition leaves in the list, or an import of a name that is none. */
const providerMisfits = (providers: readonly unknown[]): ConfigProblem[] =>
  providers.flatMap((value, index) => {
    if (isProvider(value)) return []
    const seen = value === false ? "false" : kindOf(value)
    const advice = "Write a provider, and leave out what is none: [GitHub, ...(isOn ? [Google] : [])]"
    return [configProblem("provider-type-unknown", `providers[${index}]`, `is ${seen}. ${advice}`)]
  })

/** The configuration without what is no provider; a list that is none is told of elsewhere. */
function withProvidersAlone(config: AuthConfig): { config: AuthConfig; misfits: readonly ConfigProblem[] } {
  const { providers } = config
  const misfits = Array.isArray(providers) ? providerMisfits(providers) : []
  return misfits.length > 0
    ? { config: { ...config, providers: providers.filter(isProvider) }, misfits }
    : { config, misfits }
}

/** The configuration without the options that can't be what they are, and what is wrong with each. */
export function withoutMisfits(given: AuthConfig): { config: AuthConfig; misfits: readonly ConfigProblem[] } {
  const { config, misfits: noProviders } = withProvidersAlone(given)
  const found = Object.entries(KINDS).filter(([name, kind]) => isMisfit(Reflect.get(config, name), kind))
  const { jwt } = config
  const misfits = [
    ...noProviders,
    ...found.map(([name, kind]) => told(name, Reflect.get(config, name), kind)),
    ...listMisfits("secret", config.secret),
    ...listMisfits("redirectProxySecret", config.redirectProxySecret),
    ...listMisfits("jwt.secret", isPlainObject(jwt) ? jwt.secret : undefined),
  ]
  const left: Partial<AuthConfig> = Object.fromEntries(found.map(([name]) => [name, undefined]))
  if (!isPlainObject(jwt) || !isMisfit(jwt.secret, SECRET)) return { config: { ...config, ...left }, misfits }
  const { secret: misfit, ...otherOptions } = jwt
  return {
    config: { ...config, ...left, jwt: otherOptions },
    misfits: [...misfits, told("jwt.secret", misfit, SECRET)],
  }
}
