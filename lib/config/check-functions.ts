import { configProblem } from "../errors.js"
import { OPTIONS } from "./check-options.js"
import type { Check } from "./finding.js"
import { kindOf } from "./kind-of.js"

/** What would fail when it is called, at somebody's sign-in; null says nothing, as `undefined` does. */
export const checkFunctions: Check = (config) =>
  (["callbacks", "events"] as const).flatMap((option) =>
    Object.entries(config[option] ?? {})
      .filter(([name, value]) => OPTIONS[option]?.includes(name) && (value ?? undefined) !== undefined)
      .filter(([, value]) => typeof value !== "function")
      .map(([name, value]) =>
        configProblem(
          "option-kind-wrong",
          `${option}.${name}`,
          `is ${kindOf(value)}. Write a function, or leave it out`,
        ),
      ),
  )
