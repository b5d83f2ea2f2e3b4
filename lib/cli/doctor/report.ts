import { styleText } from "node:util"
import type { Level } from "./finding.js"
import type { GroupedFinding } from "./run-checks.js"

const COLOURS = { ok: "green", warning: "yellow", error: "red", skipped: "dim" } as const satisfies Record<
  Level,
  string
>

/** A finding in the JSON report. */
export interface ReportedFinding extends GroupedFinding {
  /** The path of the documentation, in the package and in the repository. */
  readonly page?: string
}

const isProblem = ({ level }: GroupedFinding): boolean => level === "warning" || level === "error"

export const withPage = (finding: GroupedFinding): ReportedFinding =>
  isProblem(finding) ? { ...finding, page: `docs/errors/${finding.code}.md` } : finding

const WIDTH = "  skipped  ".length

/** Aligns further lines with the first one. */
const indented = (label: string, text: string): string[] => {
  const [first = "", ...others] = text.split("\n")
  const margin = " ".repeat(WIDTH)
  return [`${margin}${styleText("dim", label.padEnd(7))}${first}`, ...others.map((line) => `${margin}       ${line}`)]
}

function formatFinding(finding: GroupedFinding): string[] {
  const { level, subject, cause, seen, fix, code } = finding
  const head = `  ${styleText(COLOURS[level], level.padEnd(WIDTH - 4))}  ${subject}: ${cause}`
  if (!isProblem(finding)) return [head]
  return [
    head,
    ...(seen ? indented("seen", seen) : []),
    ...(fix ? indented("fix", fix) : []),
    ...indented("more", `npx latchkey explain ${code}`),
  ]
}

const pluralize = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

export const countLevel = (findings: readonly GroupedFinding[], level: Level): number =>
  findings.filter((finding) => finding.level === level).length

function summarize(findings: readonly GroupedFinding[]): string {
  const [errors, warnings] = [countLevel(findings, "error"), countLevel(findings, "warning")]
  const others = `${countLevel(findings, "ok")} ok, ${countLevel(findings, "skipped")} skipped`
  const summary = `${pluralize(errors, "error")}, ${pluralize(warnings, "warning")}, ${others}`
  return styleText(errors > 0 ? "red" : warnings > 0 ? "yellow" : "green", summary)
}

/** The findings under their headings, and a summary. */
export function toReport(findings: readonly GroupedFinding[], module: string | undefined): string {
  const groups = [...new Set(findings.map(({ group }) => group))]
  const parts = groups.map((group) => {
    const lines = findings.filter((finding) => finding.group === group).flatMap(formatFinding)
    return [styleText("bold", group), ...lines].join("\n")
  })
  return [...(module ? [`latchkey doctor checked ${module}`] : []), ...parts, summarize(findings)].join("\n\n")
}
