import { configProblem } from "../errors.js"
import { OPTIONS } from "./check-options.js"
import type { Check } from "./finding.js"
import { kindOf } from "./kind-of.js"

const FUNCTIONS: Readonly<Record<string, readonly string[] | undefined>> = {
  callbacks: OPTIONS.callbacks,
  events: OPTIONS.events,
  session: ["generateSessionToken"],
  jwt: ["encode", "decode"],
}

/** What would fail when it is called, at somebody's sign-in; null says nothing, as `undefined` does. */
export const checkFunctions: Check = (config) =>
  Object.entries(FUNCTIONS).flatMap(([option, names]) =>
    Object.entries(Object(Reflect.get(config, option)))
      .filter(([name, value]) => names?.includes(name) && value !== undefined && value !== null)
      .filter(([, value]) => typeof value !== "function")
      .map(([name, value]) => ({
        ...configProblem(
          "option-kind-wrong",
          `${option}.${name}`,
          `is ${kindOf(value)}. Write a function, or leave it out`,
        ),
        // The contract finds it out when it is called.
        isServable: true as const,
      })),
  )
