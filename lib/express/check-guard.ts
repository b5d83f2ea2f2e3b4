/**
 * Checks the options of `requireAuth`. If a misspelt option were ignored, the route would be unprotected. Therefore
 * every problem is an error at start-up.
 *
 * @module
 */

import { isPlainObject } from "../base/merge.js"
import { describeType } from "../base/text.js"
import { nearestName } from "../config/nearest-name.js"
import { type ConfigProblem, configProblem } from "../errors/errors.js"
import { parseMaxAge } from "../sessions/required-authentication.js"

const OPTION_NAMES = ["redirectTo", "authorize", "freshWithin", "factors", "acr", "amr", "provider", "scope"] as const
const EXAMPLE = 'authorize: ({ user }) => user.role === "admin"'

const guardProblem = (path: string, finding: string, fix: string) => configProblem("guard-invalid", path, finding, fix)

function unknownOptionProblem(name: string): ConfigProblem {
  const nearest = nearestName(name, OPTION_NAMES)
  const fix = nearest ? `Did you mean \`${nearest}\`?` : `Use one of ${OPTION_NAMES.join(", ")}: { ${EXAMPLE} }`
  return guardProblem(`requireAuth.${name}`, "is not an option", fix)
}

const PROVIDER_OPTIONS = ["provider", "scope"] as const

/**
 * Checks that `provider` or `scope` is text, if it is present. `provider: undefined`, for example from a failed import,
 * is a problem too: without the check, the guard would let every user pass.
 */
function providerOptionProblems(options: object, name: (typeof PROVIDER_OPTIONS)[number]): ConfigProblem[] {
  const value: unknown = Reflect.get(options, name)
  if (!(name in options) || (typeof value === "string" && value !== "")) return []
  const example = name === "provider" ? '"example"' : '"calendar.read"'
  const finding = value === "" ? "is empty" : `is ${describeType(value)}`
  return [guardProblem(`requireAuth.${name}`, finding, `Write ${name}: ${example}, or leave it out`)]
}

/** True for one value of `acr_values` or `amr`. It contains no space, because spaces separate the values. */
const isSingleValue = (value: unknown): boolean => typeof value === "string" && /^[!#-[\]-~]{1,255}$/.test(value)

/** The options that restrict the authentication, with the check of their values. */
const AUTHENTICATION_OPTIONS: readonly {
  readonly name: "freshWithin" | "factors" | "acr" | "amr"
  readonly isValid: (value: unknown) => boolean
  readonly example: string
}[] = [
  { name: "freshWithin", isValid: (value) => parseMaxAge(value) !== undefined, example: '"10m"' },
  { name: "factors", isValid: (value) => value === 2, example: "2" },
  { name: "acr", isValid: isSingleValue, example: '"phr"' },
  {
    name: "amr",
    isValid: (value) => Array.isArray(value) && value.length > 0 && value.every(isSingleValue),
    example: '["hwk"]',
  },
]

/**
 * Checks the options that restrict the authentication. An option that is present but undefined, for example from a
 * failed import, is a problem too: without the check, the guard would let every user pass.
 */
const authenticationProblems = (options: object): ConfigProblem[] =>
  AUTHENTICATION_OPTIONS.flatMap(({ name, isValid, example }) => {
    const value: unknown = Reflect.get(options, name)
    if (!(name in options) || isValid(value)) return []
    const found = typeof value === "object" || value === undefined ? describeType(value) : JSON.stringify(value)
    return [guardProblem(`requireAuth.${name}`, `is ${found}`, `Write ${name}: ${example}, or leave it out`)]
  })

/** Returns all problems of the options of `requireAuth`; an empty list if the options are valid. */
export function guardProblems(options: unknown): ConfigProblem[] {
  if (!isPlainObject(options))
    return [
      guardProblem("requireAuth", `expects options, not ${describeType(options)}`, `Write requireAuth({ ${EXAMPLE} })`),
    ]
  const unknownNames = Object.keys(options).filter((name) => !OPTION_NAMES.some((known) => known === name))
  const { authorize } = options
  // `authorize: undefined` is invalid too, so that a failed import does not let every user pass.
  const isAuthorizeInvalid = "authorize" in options && typeof authorize !== "function"
  return [
    ...unknownNames.map(unknownOptionProblem),
    ...authenticationProblems(options),
    ...PROVIDER_OPTIONS.flatMap((name) => providerOptionProblems(options, name)),
    ...("scope" in options && !("provider" in options)
      ? [
          guardProblem(
            "requireAuth.scope",
            "is set without provider",
            'Write provider: "example", the provider of the scope',
          ),
        ]
      : []),
    ...(isAuthorizeInvalid
      ? [guardProblem("requireAuth.authorize", `is ${describeType(authorize)}`, `Write ${EXAMPLE}, or leave it out`)]
      : []),
  ]
}
