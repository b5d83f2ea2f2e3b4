/**
 * Checks the options of `requireAuth`. A misspelt option would be ignored and the route would stay unprotected, so every
 * problem is an error at start-up.
 *
 * @module
 */

import { isPlainObject } from "../base/merge.js"
import { describeType } from "../base/text.js"
import { nearestName } from "../config/nearest-name.js"
import { type ConfigProblem, configProblem } from "../errors/errors.js"
import { parseMaxAge } from "../sessions/required-authentication.js"

const NAMES = ["redirectTo", "authorize", "freshWithin", "factors", "acr", "amr", "provider", "scope"] as const
const EXAMPLE = 'authorize: ({ user }) => user.role === "admin"'

const problem = (path: string, seen: string, fix: string) => configProblem("guard-invalid", path, seen, fix)

function nameProblem(name: string): ConfigProblem {
  const nearest = nearestName(name, NAMES)
  const fix = nearest ? `Did you mean \`${nearest}\`?` : `Use one of ${NAMES.join(", ")}: { ${EXAMPLE} }`
  return problem(`requireAuth.${name}`, "is not an option", fix)
}

const PROVIDER_OPTIONS = ["provider", "scope"] as const

/** `provider: undefined`, for example from a failed import, must not let every user in. */
function textProblems(options: object, name: (typeof PROVIDER_OPTIONS)[number]): ConfigProblem[] {
  const value: unknown = Reflect.get(options, name)
  if (!(name in options) || (typeof value === "string" && value !== "")) return []
  const example = name === "provider" ? '"example"' : '"calendar.read"'
  const seen = value === "" ? "is empty" : `is ${describeType(value)}`
  return [problem(`requireAuth.${name}`, seen, `Write ${name}: ${example}, or leave it out`)]
}

/** A value of `acr_values` or `amr`, which are lists that are separated by spaces. */
const isName = (value: unknown): boolean => typeof value === "string" && /^[!#-[\]-~]{1,255}$/.test(value)

/** What each option for the authentication can be. */
const AUTHENTICATION_OPTIONS: readonly {
  readonly name: "freshWithin" | "factors" | "acr" | "amr"
  readonly isValid: (value: unknown) => boolean
  readonly example: string
}[] = [
  { name: "freshWithin", isValid: (value) => parseMaxAge(value) !== undefined, example: '"10m"' },
  { name: "factors", isValid: (value) => value === 2, example: "2" },
  { name: "acr", isValid: isName, example: '"phr"' },
  {
    name: "amr",
    isValid: (value) => Array.isArray(value) && value.length > 0 && value.every(isName),
    example: '["hwk"]',
  },
]

/** `freshWithin: undefined`, for example from a failed import, must not let every user in. */
const authenticationProblems = (options: object): ConfigProblem[] =>
  AUTHENTICATION_OPTIONS.flatMap(({ name, isValid, example }) => {
    const value: unknown = Reflect.get(options, name)
    if (!(name in options) || isValid(value)) return []
    const seen = typeof value === "object" || value === undefined ? describeType(value) : JSON.stringify(value)
    return [problem(`requireAuth.${name}`, `is ${seen}`, `Write ${name}: ${example}, or leave it out`)]
  })

/** Returns the problems of the options of `requireAuth`. */
export function guardProblems(options: unknown): ConfigProblem[] {
  if (!isPlainObject(options))
    return [
      problem("requireAuth", `expects options, not ${describeType(options)}`, `Write requireAuth({ ${EXAMPLE} })`),
    ]
  const unknown = Object.keys(options).filter((name) => !NAMES.some((known) => known === name))
  const { authorize } = options
  // `authorize: undefined`, for example from a failed import, must not let every user in.
  const isInvalid = "authorize" in options && typeof authorize !== "function"
  return [
    ...unknown.map(nameProblem),
    ...authenticationProblems(options),
    ...PROVIDER_OPTIONS.flatMap((name) => textProblems(options, name)),
    ...("scope" in options && !("provider" in options)
      ? [
          problem(
            "requireAuth.scope",
            "is set without provider",
            'Write provider: "example", the provider of the scope',
          ),
        ]
      : []),
    ...(isInvalid
      ? [problem("requireAuth.authorize", `is ${describeType(authorize)}`, `Write ${EXAMPLE}, or leave it out`)]
      : []),
  ]
}
