import { type ConfigProblem, configProblem } from "../errors/errors.js"
import type { AuthConfig } from "./auth-config.js"
import type { ResolvedConfig } from "./resolved-config.js"

/** The result of a check: a problem, or a warning about a setting that works but should be changed. */
export interface Finding extends ConfigProblem {
  readonly isWarning?: true
}

/** Checks one aspect of a configuration, and returns what it found. */
export type Check = (config: AuthConfig, resolved: ResolvedConfig) => readonly Finding[]

/** Creates a warning. */
export const warning = (...problem: Parameters<typeof configProblem>): Finding => ({
  ...configProblem(...problem),
  isWarning: true,
})
