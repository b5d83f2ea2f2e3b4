import { describeType } from "../base/text.js"
import { configProblem } from "../errors/errors.js"
import { OPTIONS } from "./check-options.js"
import type { Check } from "./finding.js"

const FUNCTIONS: Readonly<Record<string, readonly string[] | undefined>> = {
  callbacks: OPTIONS.callbacks,
  events: OPTIONS.events,
  session: ["generateSessionToken"],
  jwt: ["encode", "decode"],
}

/** Checks that callbacks and events are functions. Other values would fail at the first sign-in. Null means not set. */
export const checkFunctions: Check = (config) =>
  Object.entries(FUNCTIONS).flatMap(([option, names]) =>
    Object.entries(Object(Reflect.get(config, option)))
      .filter(([name, value]) => names?.includes(name) && value !== undefined && value !== null)
      .filter(([, value]) => typeof value !== "function")
      .map(([name, value]) => ({
        ...configProblem(
          "option-invalid",
          `${option}.${name}`,
          `is ${describeType(value)}`,
          "Write a function, or leave it out",
        ),
        // Auth.js fails only when the function is called.
        isRecoverable: true as const,
      })),
  )
