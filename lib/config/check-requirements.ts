import { configProblem } from "../errors/errors.js"
import type { Check } from "./finding.js"

const NAME = /^[\w-]{1,64}$/

const isRequirement = (value: unknown): boolean => {
  const { name, isOpen, page }: Record<string, unknown> = Object(value)
  return typeof name === "string" && NAME.test(name) && typeof isOpen === "function" && typeof page === "string"
}

/** Checks the requirements of a sign-in, and that there is a store in which sign-ins can wait. */
export const checkRequirements: Check = (_, { requirements, store }) => {
  const names = requirements.map((requirement) => Object(requirement).name)
  const invalid = requirements.findIndex((one, index) => !isRequirement(one) || names.indexOf(names[index]) !== index)
  const fix = 'Write { name: "terms", isOpen: ({ user }) => …, page: "/terms" }'
  return [
    ...(invalid === -1
      ? []
      : [
          configProblem(
            "option-invalid",
            `requirements[${invalid}]`,
            "is not a requirement, or has the name of another one",
            fix,
          ),
        ]),
    ...(requirements.length > 0 && !store
      ? [
          configProblem(
            "store-missing",
            "store",
            "is missing, but a sign-in waits in it until the requirements are met",
            'Write { store: SqlStore({ sqlite: "auth.db" }) }',
          ),
        ]
      : []),
  ]
}
