/**
 * The final report of `npx latchkey init`.
 *
 * @module
 */
import { styleText } from "node:util"
import { variableNames, withoutBackticks } from "../catalogue.js"
import type { Result } from "../command.js"
import { hasValue } from "../env-file.js"
import type { Choices } from "./choices.js"
import type { Plan, PlannedFile } from "./plan.js"

/** The data of the report. */
export interface Outcome {
  readonly choices: Choices
  readonly plan: Plan
  /** The origin and base path of the sign-in. */
  readonly baseUrl: string
  readonly install: readonly string[]
  readonly isDryRun: boolean
  /** Warnings about the file with the secret. */
  readonly warnings: readonly string[]
}

function listUnfilled({ providers, session }: Choices, { env }: Plan): string[] {
  const database = session === "postgres" || session === "mysql" ? ["DATABASE_URL"] : []
  return [...providers.flatMap(variableNames), ...database].filter((name) => !hasValue(env, name))
}

const listRedirectUris = ({ providers }: Choices, baseUrl: string) =>
  providers.flatMap(({ id, name, redirectPath, console }) =>
    redirectPath ? [{ id, name, uri: baseUrl + redirectPath, console: withoutBackticks(console) || null }] : [],
  )

function startCommand({ language }: Choices, { server }: Plan): string | null {
  if (!server) return null
  return `${language === "typescript" ? "npx tsx" : "node"} --env-file=.env ${server}`
}

/** Returns the report as JSON. The JSON includes the texts of the files that were not written. */
function toJson({ choices, plan, baseUrl, install, isDryRun, warnings }: Outcome) {
  const files = plan.files.map(({ path, status, printable }) => ({
    path,
    status,
    ...((isDryRun || status === "exists") && { text: printable }),
  }))
  return {
    isDryRun,
    files,
    warnings,
    addTo: plan.lines ?? null,
    install,
    redirectUris: listRedirectUris(choices, baseUrl),
    unfilled: listUnfilled(choices, plan),
    run: startCommand(choices, plan),
    open: plan.isNewServer ? `${new URL(baseUrl).origin}/me` : `${baseUrl}/signin`,
  }
}

const indent = (text: string): string => text.trimEnd().replace(/^(?=.)/gm, "  ")

function fileText({ path, status, printable }: PlannedFile, isDryRun: boolean): string {
  if (status === "exists")
    return `latchkey: ${path} already exists and was not changed. The command would have written:\n\n${indent(printable)}\n`
  const done = status === "new" ? "wrote" : "added to"
  if (!isDryRun) return `latchkey: ${styleText("green", done)} ${path}`
  return `latchkey: would ${status === "new" ? "write" : "add to"} ${path}:\n\n${indent(printable)}\n`
}

type SummaryParts = ReturnType<typeof toJson>

function listSteps({ install, redirectUris, unfilled, run, open }: SummaryParts): string[] {
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

/** Returns the report: the written files, warnings, and the next steps. */
export function toResult(outcome: Outcome): Result {
  const { plan, isDryRun } = outcome
  const json = toJson(outcome)
  const steps = listSteps(json).map((step, index) => `  ${index + 1}. ${step}`)
  const parts = [
    plan.files.map((file) => fileText(file, isDryRun)).join("\n"),
    ...(outcome.warnings.length > 0 ? [outcome.warnings.map((warning) => `latchkey: ${warning}`).join("\n")] : []),
    ...(plan.lines ? [`${styleText("bold", `Add to ${plan.lines.path}:`)}\n\n${indent(plan.lines.text)}`] : []),
    `${styleText("bold", "Next:")}\n\n${steps.join("\n")}`,
  ]
  return { json, text: parts.join("\n\n") }
}
