import type { ConfigProblem } from "../../errors.js"
import { type Check, type DoctorFinding, fail, ok, warn } from "./finding.js"

/** A message is a finding and the line to write, in that order: `is missing. Set AUTH_SECRET`. */
function split(message: string): { cause: string; write?: string } {
  const [, cause, write] = /^(.*?)\. ((?:Write|Set|Give|Use|Make|Leave|Remove|Did|There|Run)\b.*)$/s.exec(message) ?? []
  return cause && write ? { cause, write } : { cause: message }
}

function told({ code, path, message }: ConfigProblem): DoctorFinding {
  const { cause, write } = split(message)
  return fail(code, path, cause, write === undefined ? {} : { write })
}

/** What the application itself would say when it starts. */
export const checkConfiguration: Check = {
  group: "Configuration",
  code: "configuration-invalid",
  run({ problems, warnings }) {
    const found = [
      ...problems.map((problem) => told(problem)),
      ...warnings.map(({ code, message }) => {
        const { cause, write } = split(message)
        return warn(code, "configuration", cause, write === undefined ? {} : { write })
      }),
    ]
    return found.length > 0
      ? found
      : [ok("configuration-invalid", "options", "every option is one, and has a value that it can have")]
  },
}
