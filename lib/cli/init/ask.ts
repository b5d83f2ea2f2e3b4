/**
 * Asks the questions of `npx latchkey init`. Only this module imports the library for prompts, and this module is
 * loaded only if a question is needed.
 *
 * @module
 */
import {
  autocompleteMultiselect,
  cancel,
  intro,
  isCancel,
  multiselect,
  outro,
  select,
  updateSettings,
} from "@clack/prompts"
import type { CatalogueRow } from "../catalogue.js"
import type { Framework, InitValues, Language, Session } from "./choices.js"
import type { Project } from "./project.js"

/** Returns the answer, or throws if the user cancels. */
async function requireAnswer<T>(prompt: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await prompt
  if (isCancel(answer)) {
    cancel("Stopped.")
    throw new Error("stopped, and nothing was written")
  }
  // `isCancel` has excluded the only symbol that a prompt returns.
  return answer as Exclude<T, symbol>
}

const FRAMEWORK_LABELS: readonly { value: Framework; label: string; hint?: string }[] = [
  { value: "express", label: "Express", hint: "and Connect, node:http" },
  { value: "hono", label: "Hono" },
  { value: "fastify", label: "Fastify" },
  { value: "other", label: "Another framework", hint: "handlers that take a web Request and return a Response" },
]

const LANGUAGE_LABELS: readonly { value: Language; label: string; hint: string }[] = [
  { value: "esm", label: "JavaScript", hint: "import" },
  { value: "commonjs", label: "JavaScript", hint: "require" },
  { value: "typescript", label: "TypeScript", hint: "import" },
]

type Method = "providers" | "email" | "passkeys" | "credentials" | "dev"

const METHOD_LABELS: readonly { value: Method; label: string; hint: string }[] = [
  { value: "dev", label: "A provider for development", hint: "needs no account; not for production" },
  { value: "providers", label: "Providers", hint: "more than a hundred; you choose from a list next" },
  { value: "email", label: "Email links", hint: "over SMTP; needs a database" },
  { value: "passkeys", label: "Passkeys", hint: "needs a database" },
  { value: "credentials", label: "A password", hint: "checked by your own function" },
]

const SESSION_LABELS: readonly { value: Session; label: string; hint?: string }[] = [
  { value: "cookie", label: "In an encrypted cookie", hint: "no database" },
  { value: "sqlite", label: "In SQLite", hint: "a file" },
  { value: "postgres", label: "In PostgreSQL" },
  { value: "mysql", label: "In MySQL or MariaDB" },
]

const askProviders = (catalogue: readonly CatalogueRow[]): Promise<string[]> =>
  requireAnswer(
    autocompleteMultiselect({
      message: "Which providers? Type to search, select with Tab, confirm with Enter",
      options: catalogue
        .filter(({ redirectPath, isDeprecated }) => redirectPath && !isDeprecated)
        .map(({ file, name }) => ({ value: file, label: name, hint: file })),
      maxItems: 8,
      required: true,
    }),
  )

/** Asks where sessions are stored. Does not offer the cookie if the sign-in methods need a database. */
const askSession = (needsDatabase: boolean): Promise<Session> =>
  requireAnswer(
    select({
      message: needsDatabase ? "Where are users, links and sessions stored?" : "Where are sessions stored?",
      options: SESSION_LABELS.filter(({ value }) => !needsDatabase || value !== "cookie"),
    }),
  )

const askFramework = ({ framework }: Project): Promise<Framework> =>
  requireAnswer(select({ message: "Which framework?", options: [...FRAMEWORK_LABELS], initialValue: framework }))

const askLanguage = ({ language }: Project): Promise<Language> =>
  requireAnswer(select({ message: "Which language?", options: [...LANGUAGE_LABELS], initialValue: language }))

const askMethods = (): Promise<Method[]> =>
  requireAnswer(
    multiselect({
      message: "How do users sign in? Select with Space or Tab, confirm with Enter",
      options: [...METHOD_LABELS],
      required: true,
    }),
  )

/**
 * Asks for the options that are not given. The project determines which answers are preselected.
 *
 * @throws Error if the user stops with Ctrl-C or Escape
 */
export async function ask(
  given: InitValues,
  project: Project,
  catalogue: readonly CatalogueRow[],
): Promise<InitValues> {
  // In the list with a search field, Space is a character of the search text. So Tab selects in both lists.
  updateSettings({ aliases: { tab: "space" } })
  intro("latchkey")
  const framework = given.framework ?? (await askFramework(project))
  const language = given.language ?? (await askLanguage(project))
  const methods = await askMethods()
  const isSelected = (method: Method): boolean => methods.includes(method)
  const provider = isSelected("providers") ? await askProviders(catalogue) : []
  const session = given.session ?? (await askSession(isSelected("email") || isSelected("passkeys")))
  outro("Thank you.")
  const [email, passkeys, credentials, dev] = [
    isSelected("email"),
    isSelected("passkeys"),
    isSelected("credentials"),
    isSelected("dev"),
  ]
  return { ...given, framework, language, session, provider, email, passkeys, credentials, dev }
}
