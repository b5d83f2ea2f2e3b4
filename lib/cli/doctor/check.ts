import type { Awaitable } from "../../base/awaitable.js"
import type { AuthConfig } from "../../config/auth-config.js"
import type { ResolvedConfig } from "../../config/resolved-config.js"
import type { ConfigProblem } from "../../errors/errors.js"
import { readExplanation } from "../../errors/explanation.js"
import type { MessageCode } from "../../errors/message-code.js"
import type { Runtime } from "../../runtime/runtime.js"
import type { ProbeResult } from "./site.js"

export interface DoctorOptions {
  /** True to make no network calls, except to the database. */
  readonly isOffline: boolean
  /** True to write one row to the database and delete it. */
  readonly mayWrite: boolean
  /** The address of the running site. */
  readonly url?: string | undefined
}

/** The configuration to check, and the other data that the checks need. */
export interface DoctorContext {
  readonly config: AuthConfig
  readonly runtime: Runtime
  readonly resolved: ResolvedConfig
  /** The warnings that the application logs at start-up. */
  readonly warnings: readonly ConfigProblem[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly options: DoctorOptions
  /** The names of the writes that the configuration module started while it was loaded. All of them were suppressed. */
  readonly suppressedWrites: ReadonlySet<string>
  /** The site's origin and base path, such as `https://example.com/auth`. Defaults are used for unknown parts. */
  readonly base: string
  /** The result of the requests to the running site; undefined without `--url`, and with `--offline`. */
  readonly site: ProbeResult | undefined
}

export type Level = "ok" | "warning" | "error" | "skipped"

/** The result of one check. */
export interface DoctorFinding {
  /** The code of the checked problem. The problem exists if the level is "warning" or "error". */
  readonly code: MessageCode
  readonly level: Level
  /** What was checked: an option, a variable, a provider, a package or an address. */
  readonly subject: string
  /** What the check found, in one sentence. */
  readonly cause: string
  /** The observed value or response. */
  readonly seen?: string | undefined
  /** The lines to write, or the change to make. */
  readonly fix?: string | undefined
}

/** A finding, with its heading in the report. */
export interface GroupedFinding extends DoctorFinding {
  readonly group: string
}

/** A check of one aspect of a configuration. */
export type Check = (context: DoctorContext) => Awaitable<readonly DoctorFinding[]>

/** The texts of a problem. By default, the cause is the title of the code's documentation page. */
type FindingDetails = Partial<Pick<DoctorFinding, "cause" | "seen" | "fix">>

const problemCreator =
  (level: Level) =>
  (code: MessageCode, subject: string, details: FindingDetails = {}): DoctorFinding => ({
    ...{ code, level, subject, cause: details.cause ?? readExplanation(code).title },
    ...details,
  })

const noteCreator =
  (level: Level) =>
  (code: MessageCode, subject: string, cause: string): DoctorFinding => ({ code, level, subject, cause })

export const fail = problemCreator("error")
export const warn = problemCreator("warning")
export const ok = noteCreator("ok")
export const skip = noteCreator("skipped")

/** Returns the finding of a check that is skipped with `--offline`, because it needs network calls. */
export const skipOffline = (code: MessageCode, subject: string): DoctorFinding =>
  skip(code, subject, "not checked because of --offline")

/** Returns the finding about a configuration module that could not be loaded, or for which the command failed. */
export const moduleFinding = (
  file: string,
  details: FindingDetails,
  code: MessageCode = "module-failed",
): GroupedFinding => ({ group: "Configuration", ...fail(code, file, details) })

/** The line that adds a store shared by all processes. */
export const ADD_STORE = "authMiddleware({ …, store: SqlStore({ postgres: process.env.DATABASE_URL }) })"

/** Calls a method that only adapters and stores of this package have. Returns undefined if the method is missing. */
export async function callIfPresent<T>(target: object, name: string): Promise<T | undefined> {
  const method: unknown = Reflect.get(target, name)
  return typeof method === "function" ? method.call(target) : undefined
}

/** Returns the finding, with the secrets in its texts masked. */
export function maskFinding<Finding extends DoctorFinding>(finding: Finding, mask: (text: string) => string): Finding {
  const { cause, seen, fix } = finding
  return { ...finding, cause: mask(cause), seen: seen && mask(seen), fix: fix && mask(fix) }
}

/** With a larger difference between the clocks, an id_token may be rejected as expired or as issued in the future. */
const TOLERANCE_SECONDS = 30
/** With a larger difference, a warning is reported. */
const NOTABLE_SECONDS = 10

/**
 * Returns the finding about a remote clock that is ahead of the local clock by `aheadSeconds`. Returns no finding if
 * the difference is unknown.
 */
export function clockFinding(subject: string, aheadSeconds: number | undefined): DoctorFinding[] {
  if (aheadSeconds === undefined) return []
  const difference = Math.abs(aheadSeconds)
  if (difference <= NOTABLE_SECONDS) return [ok("clock-skew", subject, "the clocks agree")]
  const seen = `its clock is ${difference} s ${aheadSeconds < 0 ? "behind" : "ahead of"} the clock of this machine`
  const fix = "run timedatectl set-ntp true on the machine whose clock is wrong"
  return [(difference > TOLERANCE_SECONDS ? fail : warn)("clock-skew", subject, { seen, fix })]
}
