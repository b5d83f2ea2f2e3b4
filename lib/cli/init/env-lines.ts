import { type CatalogueRow, variableNames, withoutMarks } from "../catalogue.js"
import { hasName, hasValue, withLines, withValue } from "../env-file.js"
import type { Choices } from "./choices.js"

const SECRET = "AUTH_SECRET"

const DATABASE_EXAMPLES = {
  postgres: "postgres://user:password@localhost:5432/app",
  mysql: "mysql://user:password@localhost:3306/app",
} as const

/** Lines that belong together: comments, and the variables that they are about. */
interface Group {
  readonly comments: readonly string[]
  readonly names: readonly string[]
}

function groupOf(row: CatalogueRow, site: string): Group {
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

function groupsOf({ rows, session }: Choices, site: string): Group[] {
  const database =
    session === "postgres" || session === "mysql"
      ? [{ comments: [`The database: ${DATABASE_EXAMPLES[session]}`], names: ["DATABASE_URL"] }]
      : []
  return [...rows.map((row) => groupOf(row, site)), ...database].filter(({ names }) => names.length > 0)
}

/** The group without the variables that the file names. */
function linesOf({ comments, names }: Group, text: string): string[] {
  const missing = names.filter((name) => !hasName(text, name))
  if (missing.length === 0) return []
  return ["", ...comments.map((comment) => `# ${comment}`), ...missing.map((name) => `${name}=`)]
}

const ABOUT_SECRET = "# Seals sessions. Whoever has it can be anybody here: keep this file out of version control."

function withSecret(text: string, secret: string): string {
  if (hasValue(text, SECRET)) return text
  if (text === "") return withLines(text, [ABOUT_SECRET, `${SECRET}=${secret}`])
  const changed = withValue(text, SECRET, secret)
  if (changed !== undefined) return changed
  throw new Error(".env has a line that can't be read, and was left as it is: mend it first")
}

/** The text of `.env` with the names that it lacks, and a secret where it has none. What it has stays as it is. */
export function envText(text: string, { choices, site, secret }: { choices: Choices; site: string; secret: string }) {
  const sealed = withSecret(text, secret)
  const lines = groupsOf(choices, site).flatMap((group) => linesOf(group, sealed))
  return lines.length > 0 ? withLines(sealed, lines) : sealed
}
