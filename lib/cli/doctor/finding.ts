import type { MessageCode } from "../../codes/index.js"
import type { Awaitable } from "../../types.js"
import type { Examined } from "./examined.js"

export type Level = "ok" | "warning" | "error" | "skipped"

/** One thing that was looked at. */
export interface DoctorFinding {
  /** What was looked for; it is there where the level is "warning" or "error". */
  readonly code: MessageCode
  readonly level: Level
  /** The option, the variable, the provider or the address. */
  readonly subject: string
  /** One sentence. */
  readonly cause: string
  readonly seen?: string
  /** The line to write. */
  readonly write?: string
}

/** Looks at one side of an application. */
export interface Check {
  readonly group: string
  /** What it looks for first of all. */
  readonly code: MessageCode
  /** Would it call others over the network: providers, mail servers, the site itself? */
  readonly calls?: (at: Examined) => boolean
  run(at: Examined): Awaitable<readonly DoctorFinding[]>
}

type Told = Pick<DoctorFinding, "seen" | "write">

/** The finding, with each of its texts as it may be shown. */
export const masked = <Finding extends DoctorFinding>(
  { seen, write, ...finding }: Finding,
  mask: (text: string) => string,
) => ({
  ...finding,
  cause: mask(finding.cause),
  ...(seen !== undefined && { seen: mask(seen) }),
  ...(write !== undefined && { write: mask(write) }),
})

const creator =
  (level: Level) =>
  (code: MessageCode, subject: string, cause: string, told: Told = {}): DoctorFinding => ({
    code,
    level,
    subject,
    cause,
    ...told,
  })

export const ok = creator("ok")
export const warn = creator("warning")
export const fail = creator("error")
export const skip = creator("skipped")

/** What development forgives, and production does not. */
export const failIn = (isProduction: boolean) => (isProduction ? fail : warn)
