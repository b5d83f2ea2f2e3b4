/**
 * What is said when it is done.
 *
 * @module
 */
import { styleText } from "node:util"
import { variableNames, withoutMarks } from "../catalogue.js"
import type { Result } from "../command.js"
import { hasValue } from "../env-file.js"
import type { Choices } from "./choices.js"
import type { Plan, PlannedFile } from "./plan.js"

/** Everything that there is to tell. */
export interface Outcome {
  readonly choices: Choices
  readonly plan: Plan
  /** Where the sign-in is. */
  readonly site: string
  readonly install: readonly string[]
  readonly isDryRun: boolean
  /** What is wrong with where the secret is. */
  readonly warnings: readonly string[]
}

/** The names that wait for a value. */
function unfilledOf({ rows, session }: Choices, { env }: Plan): string[] {
  const database = session === "postgres" || session === "mysql" ? ["DATABASE_URL"] : []
  return [...rows.flatMap(variableNames), ...database].filter((name) => !hasValue(env, name))
}

const redirectUrisOf = ({ rows }: Choices, site: string) =>
  rows.flatMap(({ id, name, redirectPath, console }) =>
    redirectPath ? [{ id, name, uri: site + redirectPath, console: withoutMarks(console) || null }] : [],
  )

function runOf({ language }: Choices, { server }: Plan): string | null {
  if (!server) return null
  return `${language === "typescript" ? "npx tsx" : "node"} --env-file=.env ${server}`
}

/** For programs: the text of a file where it is not written. */
function toJson({ choices, plan, site, install, isDryRun, warnings }: Outcome) {
  const files = plan.files.map(({ path, status, shown }) => ({
    path,
    status,
    ...((isDryRun || status === "there already") && { text: shown }),
  }))
  return {
    isDryRun,
    files,
    warnings,
    addTo: plan.lines ?? null,
    install,
    redirectUris: redirectUrisOf(choices, site),
    unfilled: unfilledOf(choices, plan),
    run: runOf(choices, plan),
    open: plan.isNewServer ? `${new URL(site).origin}/me` : `${site}/signin`,
  }
}

const indented = (text: string): string => text.trimEnd().replace(/^(?=.)/gm, "  ")

function fileText({ path, status, shown }: PlannedFile, isDryRun: boolean): string {
  if (status === "there already")
    return `latchkey: ${path} is there already and stays as it is. This would have been written:\n\n${indented(shown)}\n`
  const done = status === "new" ? "wrote" : "added to"
  if (!isDryRun) return `latchkey: ${styleText("green", done)} ${path}`
  return `latchkey: would ${status === "new" ? "write" : "add to"} ${path}:\n\n${indented(shown)}\n`
}

type Told = ReturnType<typeof toJson>

function stepsOf({ install, redirectUris, unfilled, run, open }: Told): string[] {
  return [
    ...install,
    ...redirectUris.map(
      ({ name, uri, console }) => `Register the redirect URI ${uri} at ${name}${console ? `: ${console}` : ""}`,
    ),
    ...(unfilled.length > 0 ? [`Fill in .env: ${unfilled.join(", ")}`] : []),
    run ?? "Start your application with the variables of .env",
    `Open ${open}`,
  ]
}

/** What came of it, and what is left to do. */
export function resultOf(outcome: Outcome): Result {
  const { plan, isDryRun } = outcome
  const json = toJson(outcome)
  const steps = stepsOf(json).map((step, index) => `  ${index + 1}. ${step}`)
  const parts = [
    plan.files.map((file) => fileText(file, isDryRun)).join("\n"),
    ...(outcome.warnings.length > 0 ? [outcome.warnings.map((warning) => `latchkey: ${warning}`).join("\n")] : []),
    ...(plan.lines ? [`${styleText("bold", `Add to ${plan.lines.path}:`)}\n\n${indented(plan.lines.text)}`] : []),
    `${styleText("bold", "Next:")}\n\n${steps.join("\n")}`,
  ]
  return { json, text: parts.join("\n\n") }
}
