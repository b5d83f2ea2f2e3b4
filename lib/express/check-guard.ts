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

const NAMES = ["redirectTo", "authorize"] as const
const EXAMPLE = 'authorize: ({ user }) => user.role === "admin"'

const problem = (path: string, seen: string, fix: string) => configProblem("guard-invalid", path, seen, fix)

function nameProblem(name: string): ConfigProblem {
  const nearest = nearestName(name, NAMES)
  const fix = nearest ? `Did you mean \`${nearest}\`?` : `Use ${NAMES.join(" or ")}: { ${EXAMPLE} }`
  return problem(`requireAuth.${name}`, "is not an option", fix)
}

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
    ...(isInvalid
      ? [problem("requireAuth.authorize", `is ${describeType(authorize)}`, `Write ${EXAMPLE}, or leave it out`)]
      : []),
  ]
}
