import type { MessageCode } from "../../errors/message-code.js"
import type { Awaitable } from "../../types.js"
import type { DoctorContext } from "./context.js"

export type Level = "ok" | "warning" | "error" | "skipped"

/** The result of one check. */
export interface DoctorFinding {
  /** The code of the checked problem. The problem exists if the level is "warning" or "error". */
  readonly code: MessageCode
  readonly level: Level
  /** The option, the variable, the provider or the address. */
  readonly subject: string
  /** One sentence. */
  readonly cause: string
  /** The observed value or response. */
  readonly seen?: string
  /** The lines to write, or the change to make. */
  readonly fix?: string
}

/** A check of one aspect of an application. */
export interface Check {
  readonly group: string
  /** The main problem that it checks. */
  readonly code: MessageCode
  /** True if it makes network calls: to providers, email servers or the site itself. */
  readonly calls?: (at: DoctorContext) => boolean
  run(at: DoctorContext): Awaitable<readonly DoctorFinding[]>
}

type FindingDetails = Pick<DoctorFinding, "seen" | "fix">

/** Returns the finding with masked texts. */
export const masked = <Finding extends DoctorFinding>(
  { seen, fix, ...finding }: Finding,
  mask: (text: string) => string,
) => ({
  ...finding,
  cause: mask(finding.cause),
  ...(seen !== undefined && { seen: mask(seen) }),
  ...(fix !== undefined && { fix: mask(fix) }),
})

const creator =
  (level: Level) =>
  (code: MessageCode, subject: string, cause: string, details: FindingDetails = {}): DoctorFinding => ({
    code,
    level,
    subject,
    cause,
    ...details,
  })

export const ok = creator("ok")
export const warn = creator("warning")
export const fail = creator("error")
export const skip = creator("skipped")

/** A warning in development, an error in production. */
export const failIn = (isProduction: boolean) => (isProduction ? fail : warn)
