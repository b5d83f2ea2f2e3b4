import { type CatalogueRow, variableNames, withoutBackticks } from "../catalogue.js"
import { hasName, hasValue, withLines, withValue } from "../env-file.js"
import type { Choices } from "./choices.js"

const SECRET = "AUTH_SECRET"

const DATABASE_EXAMPLES = {
  postgres: "postgres://user:password@localhost:5432/app",
  mysql: "mysql://user:password@localhost:3306/app",
} as const

/** The variables of a provider or of the database, with comment lines that are written above them. */
interface VariableGroup {
  readonly comments: readonly string[]
  readonly names: readonly string[]
}

function variableGroup(row: CatalogueRow, baseUrl: string): VariableGroup {
  const { name, console, redirectPath, environment } = row
  const names = variableNames(row)
  const hasDescription = names.join(", ") !== withoutBackticks(environment)
  return {
    names,
    comments: [
      console ? `${name}: ${withoutBackticks(console)}` : name,
      ...(redirectPath ? [`Redirect URI to register: ${baseUrl}${redirectPath}`] : []),
      ...(hasDescription ? [withoutBackticks(environment)] : []),
    ],
  }
}

function variableGroups({ providers, session }: Choices, baseUrl: string): VariableGroup[] {
  const database =
    session === "postgres" || session === "mysql"
      ? [{ comments: [`The database: ${DATABASE_EXAMPLES[session]}`], names: ["DATABASE_URL"] }]
      : []
  return [...providers.map((row) => variableGroup(row, baseUrl)), ...database].filter(({ names }) => names.length > 0)
}

/** Returns the lines of a group, without the variables that `text` already names. */
function formatGroup({ comments, names }: VariableGroup, text: string): string[] {
  const missing = names.filter((name) => !hasName(text, name))
  if (missing.length === 0) return []
  return ["", ...comments.map((comment) => `# ${comment}`), ...missing.map((name) => `${name}=`)]
}

const SECRET_COMMENT =
  "# Encrypts sessions. Anyone who knows it can sign in as any user: keep this file out of version control."

function withSecret(text: string, secret: string): string {
  if (hasValue(text, SECRET)) return text
  if (text === "") return withLines(text, [SECRET_COMMENT, `${SECRET}=${secret}`])
  const changed = withValue(text, SECRET, secret)
  if (changed !== undefined) return changed
  throw new Error(".env has a line that can't be read, and was not changed: fix that line first")
}

/**
 * Returns the text of `.env` with the missing names, and with a secret if AUTH_SECRET has no value. Keeps other lines.
 */
export function envText(
  text: string,
  { choices, baseUrl, secret }: { choices: Choices; baseUrl: string; secret: string },
) {
  const base = withSecret(text, secret)
  const lines = variableGroups(choices, baseUrl).flatMap((group) => formatGroup(group, base))
  return lines.length > 0 ? withLines(base, lines) : base
}
