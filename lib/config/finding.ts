import type { MessageCode } from "../codes/index.js"
import type { ConfigProblem } from "../errors.js"
import type { AuthConfig } from "../types.js"
import type { ResolvedConfig } from "./resolve.js"

/** What works, and should not stay. */
export interface ConfigWarning {
  readonly code: MessageCode
  readonly message: string
}

export type Finding = ConfigProblem | ConfigWarning

/** Looks at one side of a configuration. */
export type Check = (config: AuthConfig, resolved: ResolvedConfig) => readonly Finding[]

export const warning = (code: MessageCode, message: string): ConfigWarning => ({ code, message })
