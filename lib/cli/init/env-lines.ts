import { type CatalogueRow, variableNames, withoutMarks } from "../catalogue.js"
import { hasName, hasValue, withLines, withValue } from "../env-file.js"
import type { Choices } from "./choices.js"

const SECRET = "AUTH_SECRET"

const DATABASE_EXAMPLES = {
  postgres: "postgres://user:password@localhost:5432/app",
  mysql: "mysql://user:password@localhost:3306/app",
} as const

interface Group {
  readonly comments: readonly string[]
  readonly names: readonly string[]
}

function variableGroup(row: CatalogueRow, site: string): Group {
  const { name, console, redirectPath, environment } = row
  const names = variableNames(row)
  const hasMore = names.join(", ") !== withoutMarks(environment)
  return {
    names,
    comments: [
      console ? `${name}: ${withoutMarks(console)}` : name,
      ...(redirectPath ? [`Redirect URI to register: ${site}${redirectPath}`] : []),
      ...(hasMore ? [withoutMarks(environment)] : []),
    ],
  }
}

function variableGroups({ providers, session }: Choices, site: string): Group[] {
  const database =
    session === "postgres" || session === "mysql"
      ? [{ comments: [`The database: ${DATABASE_EXAMPLES[session]}`], names: ["DATABASE_URL"] }]
      : []
  return [...providers.map((row) => variableGroup(row, site)), ...database].filter(({ names }) => names.length > 0)
}

/** Returns the lines of a group, without the variables that the file already names. */
function formatGroup({ comments, names }: Group, text: string): string[] {
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

/** Adds missing names and a missing secret to the text of `.env`. Existing lines are not changed. */
export function envText(text: string, { choices, site, secret }: { choices: Choices; site: string; secret: string }) {
  const base = withSecret(text, secret)
  const lines = variableGroups(choices, site).flatMap((group) => formatGroup(group, base))
  return lines.length > 0 ? withLines(base, lines) : base
}
