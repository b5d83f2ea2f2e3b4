/**
 * Options of another kind than they can be. Where there is a compiler it says so; everybody else is told with all that is
 * wrong besides, and whoever reads a configuration finds in it what the types promise.
 *
 * @module
 */
import { type ConfigProblem, configProblem } from "../errors.js"
import { isPlainObject } from "../merge.js"
import type { AuthConfig } from "../types.js"

interface Kind {
  readonly includes: (value: unknown) => boolean
  readonly advice: string
}

const isText = (value: unknown): boolean => typeof value === "string"

const SECRET: Kind = {
  includes: (value) => isText(value) || Array.isArray(value),
  advice: "Write a text of 32 random characters or more, or a list of such texts",
}
const PATH: Kind = { includes: isText, advice: 'Write a path: "/auth"' }

/** Those that something is made of before they are looked at. */
const KINDS: Readonly<Record<string, Kind>> = {
  secret: SECRET,
  basePath: PATH,
  prefix: PATH,
  views: { includes: isText, advice: 'Write the path of a folder: "./views/auth"' },
  redirectProxyOrigins: { includes: Array.isArray, advice: 'Write a list: ["https://*.example.com"]' },
}

/** What a value is; never what it says, which may be secret. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/** Null says nothing, as `undefined` does. */
const isMisfit = (value: unknown, { includes }: Kind): boolean =>
  value !== undefined && value !== null && !includes(value)

const told = (path: string, value: unknown, { advice }: Kind): ConfigProblem =>
  configProblem(path, `is ${kindOf(value)}. ${advice}`)

/** The configuration without the options that can't be what they are, and what is wrong with each. */
export function withoutMisfits(config: AuthConfig): { config: AuthConfig; misfits: readonly ConfigProblem[] } {
  const found = Object.entries(KINDS).filter(([name, kind]) => isMisfit(Reflect.get(config, name), kind))
  const misfits = found.map(([name, kind]) => told(name, Reflect.get(config, name), kind))
  const left: Partial<AuthConfig> = Object.fromEntries(found.map(([name]) => [name, undefined]))
  const { jwt } = config
  if (!isPlainObject(jwt) || !isMisfit(jwt.secret, SECRET)) return { config: { ...config, ...left }, misfits }
  const { secret: misfit, ...otherOptions } = jwt
  return {
    config: { ...config, ...left, jwt: otherOptions },
    misfits: [...misfits, told("jwt.secret", misfit, SECRET)],
  }
}
