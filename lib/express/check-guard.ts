/**
 * What a guard is given. What it passed over would be a rule that nobody applies, so a slip stops the start.
 *
 * @module
 */
import { kindOf } from "../config/kind-of.js"
import { nearestName } from "../config/nearest-name.js"
import { type ConfigProblem, configProblem } from "../errors.js"
import { isPlainObject } from "../merge.js"

const NAMES = ["redirectTo", "authorize"] as const
const LINE = 'authorize: ({ user }) => user.role === "admin"'

const problem = (path: string, message: string) => configProblem("guard-invalid", path, message)

function nameProblem(name: string): ConfigProblem {
  const meant = nearestName(name, NAMES)
  const advice = meant ? `Did you mean \`${meant}\`?` : `There are ${NAMES.join(" and ")}: write { ${LINE} }`
  return problem(`requireAuth.${name}`, `is no option. ${advice}`)
}

/** What is wrong with the options of `requireAuth`. */
export function guardProblems(options: unknown): ConfigProblem[] {
  if (!isPlainObject(options))
    return [problem("requireAuth", `is given ${kindOf(options)}. Write requireAuth({ ${LINE} })`)]
  const unknown = Object.keys(options).filter((name) => !NAMES.some((known) => known === name))
  const { authorize } = options
  // An import that came to nothing is no rule that lets everybody in.
  const isMissing = "authorize" in options && typeof authorize !== "function"
  return [
    ...unknown.map(nameProblem),
    ...(isMissing ? [problem("requireAuth.authorize", `is ${kindOf(authorize)}. Write ${LINE}, or leave it out`)] : []),
  ]
}
