import { type CatalogueRow, requireRow } from "../catalogue.js"
import { type Options, UsageError, type ValuesOf } from "../command.js"
import { type Choices, FRAMEWORKS, LANGUAGES, needsDatabase, SESSIONS } from "./choices.js"
import type { Project } from "./project.js"

export const INIT_OPTIONS = {
  provider: { type: "list", value: "ID,ID", help: "providers, by the ids that npx latchkey providers lists" },
  email: { type: "boolean", help: "sign-in links by e-mail, over SMTP" },
  passkeys: { type: "boolean", help: "passkeys" },
  credentials: { type: "boolean", help: "an address and a password, which your own function checks" },
  dev: { type: "boolean", help: "a provider for development, which needs no account anywhere" },
  session: { type: "string", value: "KIND", choices: SESSIONS, help: "where sessions are" },
  framework: { type: "string", value: "NAME", choices: FRAMEWORKS, help: "what package.json says when not given" },
  language: { type: "string", value: "NAME", choices: LANGUAGES, help: "what package.json says when not given" },
  yes: { type: "boolean", help: "asks nothing; with no way to sign in given, takes --dev" },
  "dry-run": { type: "boolean", help: "shows what it would write, and writes nothing" },
} as const satisfies Options

export type InitValues = ValuesOf<typeof INIT_OPTIONS>

/** Whether somebody said how people sign in; then nothing is asked. */
export const saysHow = ({ provider, email, passkeys, credentials, dev }: InitValues): boolean =>
  provider.length > 0 || email || passkeys || credentials || dev

function rowsOf({ provider, email, passkeys, credentials }: InitValues, catalogue: readonly CatalogueRow[]) {
  const ids = [
    ...provider,
    ...(email ? ["nodemailer"] : []),
    ...(passkeys ? ["passkey"] : []),
    ...(credentials ? ["credentials"] : []),
  ]
  return [...new Set(ids.map((id) => requireRow(id, catalogue)))]
}

/**
 * What the options decide, with the project's own where they are silent.
 *
 * @throws UsageError where they do not fit together
 */
export function choicesOf(values: InitValues, project: Project, catalogue: readonly CatalogueRow[]): Choices {
  const rows = rowsOf(values, catalogue)
  const { session = needsDatabase(rows) ? "sqlite" : "cookie", framework = project.framework } = values
  if (session === "cookie" && needsDatabase(rows))
    throw new UsageError("e-mail links and passkeys are kept in a database: give --session sqlite, postgres or mysql")
  return {
    framework,
    language: values.language ?? project.language,
    session,
    rows,
    usesDevProvider: values.dev || !saysHow(values),
  }
}
