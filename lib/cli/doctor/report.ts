import { styleText } from "node:util"
import type { GroupedFinding } from "./examination.js"
import type { Level } from "./finding.js"

const COLOURS = { ok: "green", warning: "yellow", error: "red", skipped: "dim" } as const satisfies Record<
  Level,
  string
>

/** A finding as programs get it. */
export interface ToldFinding extends GroupedFinding {
  /** In the package, and in the repository. */
  readonly page?: string
}

const isTrouble = ({ level }: GroupedFinding): boolean => level === "warning" || level === "error"

export const withPage = (finding: GroupedFinding): ToldFinding =>
  isTrouble(finding) ? { ...finding, page: `docs/errors/${finding.code}.md` } : finding

const WIDTH = "  skipped  ".length

/** Further lines stand below the first one. */
const indented = (label: string, text: string): string[] => {
  const [first = "", ...others] = text.split("\n")
  const margin = " ".repeat(WIDTH)
  return [`${margin}${styleText("dim", label.padEnd(7))}${first}`, ...others.map((line) => `${margin}       ${line}`)]
}

function linesOf(finding: GroupedFinding): string[] {
  const { level, subject, cause, seen, write, code } = finding
  const head = `  ${styleText(COLOURS[level], level.padEnd(WIDTH - 4))}  ${subject}: ${cause}`
  if (!isTrouble(finding)) return [head]
  return [
    head,
    ...(seen ? indented("seen", seen) : []),
    ...(write ? indented("write", write) : []),
    ...indented("more", `npx latchkey explain ${code}`),
  ]
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

export const countOf = (findings: readonly GroupedFinding[], level: Level): number =>
  findings.filter((finding) => finding.level === level).length

function summaryOf(findings: readonly GroupedFinding[]): string {
  const [errors, warnings] = [countOf(findings, "error"), countOf(findings, "warning")]
  const others = `${countOf(findings, "ok")} fine, ${countOf(findings, "skipped")} not looked at`
  const summary = `${counted(errors, "error")}, ${counted(warnings, "warning")}, ${others}`
  return styleText(errors > 0 ? "red" : warnings > 0 ? "yellow" : "green", summary)
}

/** The findings under their headings, and how many there are. */
export function toReport(findings: readonly GroupedFinding[], module: string | undefined): string {
  const groups = [...new Set(findings.map(({ group }) => group))]
  const parts = groups.map((group) => {
    const lines = findings.filter((finding) => finding.group === group).flatMap(linesOf)
    return [styleText("bold", group), ...lines].join("\n")
  })
  return [...(module ? [`latchkey doctor looked at ${module}`] : []), ...parts, summaryOf(findings)].join("\n\n")
}
