import type { ConfigProblem } from "../../errors/errors.js"
import { type Check, type DoctorFinding, fail, ok, warn } from "./finding.js"

/** Splits a message into the problem and the fix: `is missing. Set AUTH_SECRET`. */
function split(message: string): { cause: string; fix?: string } {
  const [, cause, fix] =
    /^(.*?)\. ((?:Write|Set|Give|Use|Make|Create|Generate|Store|Implement|Change|Add|Configure|Pass|Return|Install|Leave|Remove|Did|There|Run)\b.*)$/s.exec(
      message,
    ) ?? []
  return cause && fix ? { cause, fix } : { cause: message }
}

function toFinding({ code, path, message }: ConfigProblem): DoctorFinding {
  const { cause, fix } = split(message)
  return fail(code, path, cause, fix === undefined ? {} : { fix })
}

/** The problems and warnings that the application itself reports at start-up. */
export const checkConfiguration: Check = {
  group: "Configuration",
  code: "configuration-invalid",
  run({ problems, warnings }) {
    const found = [
      ...problems.map((problem) => toFinding(problem)),
      ...warnings.map(({ code, message }) => {
        const { cause, fix } = split(message)
        return warn(code, "configuration", cause, fix === undefined ? {} : { fix })
      }),
    ]
    return found.length > 0 ? found : [ok("configuration-invalid", "options", "all options are valid")]
  },
}
