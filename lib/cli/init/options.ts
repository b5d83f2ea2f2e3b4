import { type CatalogueRow, requireRow } from "../catalogue.js"
import { type Options, UsageError, type ValuesOf } from "../command.js"
import { type Choices, FRAMEWORKS, LANGUAGES, needsDatabase, SESSIONS } from "./choices.js"
import type { Project } from "./project.js"

export const INIT_OPTIONS = {
  provider: { type: "list", value: "ID,ID", help: "providers, by their ids from npx latchkey providers" },
  email: { type: "boolean", help: "email links, over SMTP" },
  passkeys: { type: "boolean", help: "passkeys" },
  credentials: { type: "boolean", help: "an email address and a password, checked by your own function" },
  dev: { type: "boolean", help: "a provider for development, which needs no account" },
  session: { type: "string", value: "KIND", choices: SESSIONS, help: "where sessions are stored" },
  framework: {
    type: "string",
    value: "NAME",
    choices: FRAMEWORKS,
    help: "the framework, by default from package.json",
  },
  language: { type: "string", value: "NAME", choices: LANGUAGES, help: "the language, by default from package.json" },
  yes: { type: "boolean", help: "ask no questions; without a sign-in method it selects --dev" },
  "dry-run": { type: "boolean", help: "show the files without writing them" },
} as const satisfies Options

export type InitValues = ValuesOf<typeof INIT_OPTIONS>

/** True if the options contain a sign-in method; then the command asks no questions. */
export const hasChoices = ({ provider, email, passkeys, credentials, dev }: InitValues): boolean =>
  provider.length > 0 || email || passkeys || credentials || dev

function findRows({ provider, email, passkeys, credentials }: InitValues, catalogue: readonly CatalogueRow[]) {
  const ids = [
    ...provider,
    ...(email ? ["nodemailer"] : []),
    ...(passkeys ? ["passkey"] : []),
    ...(credentials ? ["credentials"] : []),
  ]
  return [...new Set(ids.map((id) => requireRow(id, catalogue)))]
}

/**
 * Returns the choices from the options, with defaults from the project.
 *
 * @throws UsageError if options conflict
 */
export function toChoices(values: InitValues, project: Project, catalogue: readonly CatalogueRow[]): Choices {
  const providers = findRows(values, catalogue)
  const { session = needsDatabase(providers) ? "sqlite" : "cookie", framework = project.framework } = values
  if (session === "cookie" && needsDatabase(providers))
    throw new UsageError("email links and passkeys need a database: use --session sqlite, postgres or mysql")
  return {
    framework,
    language: values.language ?? project.language,
    session,
    providers,
    usesDevProvider: values.dev || !hasChoices(values),
  }
}
