import { METHODS } from "../../methods/index.js"
import { type CatalogueRow, requireRow } from "../catalogue.js"
import { type Options, UsageError, type ValuesOf } from "../command.js"

const FRAMEWORKS = ["express", "hono", "fastify", "other"] as const
const LANGUAGES = ["esm", "commonjs", "typescript"] as const
const SESSIONS = ["cookie", "sqlite", "postgres", "mysql"] as const

export type Framework = (typeof FRAMEWORKS)[number]
export type Language = (typeof LANGUAGES)[number]
export type Session = (typeof SESSIONS)[number]

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

/** The choices of the user, from options or answers. With the project, they determine which files are written. */
export interface Choices {
  readonly framework: Framework
  readonly language: Language
  readonly session: Session
  /** The sign-in methods, in the order of the sign-in page. */
  readonly providers: readonly CatalogueRow[]
  /** True to add the development provider, which needs no registration at a real provider. */
  readonly usesDevProvider: boolean
}

/** True if the options contain a sign-in method. Then the command asks no questions. */
export const hasSignInMethod = ({ provider, email, passkeys, credentials, dev }: InitValues): boolean =>
  provider.length > 0 || email || passkeys || credentials || dev

/** The default base path of the middleware (Express) or of the handlers. */
export const basePathFor = (framework: Framework): string => (framework === "express" ? "/auth" : "/api/auth")

function findRows({ provider, email, passkeys, credentials }: InitValues, catalogue: readonly CatalogueRow[]) {
  const ids = [...provider, email && "nodemailer", passkeys && "passkey", credentials && "credentials"]
  return [...new Set(ids.filter((id) => id !== false).map((id) => requireRow(id, catalogue)))]
}

/**
 * Returns the choices from the options, with defaults from the project.
 *
 * @throws UsageError if options conflict
 */
export function toChoices(
  values: InitValues,
  project: Pick<Choices, "framework" | "language">,
  catalogue: readonly CatalogueRow[],
): Choices {
  const providers = findRows(values, catalogue)
  // Email links and passkeys need a database. The command configures one only if it also stores the sessions.
  const needsDatabase = providers.some(({ type }) => METHODS[type]?.needs.requiresAdapterFor)
  const { session = needsDatabase ? "sqlite" : "cookie" } = values
  const { framework = project.framework, language = project.language } = values
  if (session === "cookie" && needsDatabase)
    throw new UsageError("email links and passkeys need a database: use --session sqlite, postgres or mysql")
  return { framework, language, session, providers, usesDevProvider: values.dev || !hasSignInMethod(values) }
}
