import type { MessageCode } from "../errors/message-code.js"
import type { ConfigProblem } from "../errors/errors.js"
import type { AuthConfig } from "../types.js"
import type { ResolvedConfig } from "./resolve.js"

/** A setting that works but should be changed. */
export interface ConfigWarning {
  readonly code: MessageCode
  readonly message: string
}

export type Finding = ConfigProblem | ConfigWarning

/** Checks one aspect of a configuration. */
export type Check = (config: AuthConfig, resolved: ResolvedConfig) => readonly Finding[]

export const warning = (code: MessageCode, message: string): ConfigWarning => ({ code, message })
