/**
 * The questions. They are asked by a library that is loaded here alone, when somebody is there to answer.
 *
 * @module
 */
import { autocompleteMultiselect, cancel, intro, isCancel, multiselect, outro, select } from "@clack/prompts"
import type { CatalogueRow } from "../catalogue.js"
import type { Framework, Language, Session } from "./choices.js"
import type { InitValues } from "./options.js"
import type { Project } from "./project.js"

/** The answer, or an end to it all. */
async function answer<T>(asked: Promise<T>): Promise<Exclude<T, symbol>> {
  const given = await asked
  if (isCancel(given)) {
    cancel("Stopped.")
    throw new Error("stopped, and nothing was written")
  }
  // The one symbol is that of the end.
  return given as Exclude<T, symbol>
}

const FRAMEWORK_LABELS: readonly { value: Framework; label: string; hint?: string }[] = [
  { value: "express", label: "Express", hint: "and Connect, node:http" },
  { value: "hono", label: "Hono" },
  { value: "fastify", label: "Fastify" },
  { value: "other", label: "Another", hint: "handlers from a web Request to a Response" },
]

const LANGUAGE_LABELS: readonly { value: Language; label: string; hint: string }[] = [
  { value: "esm", label: "JavaScript", hint: "import" },
  { value: "commonjs", label: "JavaScript", hint: "require" },
  { value: "typescript", label: "TypeScript", hint: "import" },
]

type Method = "providers" | "email" | "passkeys" | "credentials" | "dev"

const METHOD_LABELS: readonly { value: Method; label: string; hint: string }[] = [
  { value: "dev", label: "A provider for development", hint: "no account anywhere; not in production" },
  { value: "providers", label: "Providers", hint: "more than a hundred, to choose from next" },
  { value: "email", label: "Links by e-mail", hint: "over SMTP; wants a database" },
  { value: "passkeys", label: "Passkeys", hint: "wants a database" },
  { value: "credentials", label: "A password", hint: "which your own function checks" },
]

const SESSION_LABELS: readonly { value: Session; label: string; hint?: string }[] = [
  { value: "cookie", label: "In an encrypted cookie", hint: "no database" },
  { value: "sqlite", label: "In SQLite", hint: "a file" },
  { value: "postgres", label: "In PostgreSQL" },
  { value: "mysql", label: "In MySQL or MariaDB" },
]

const askProviders = (catalogue: readonly CatalogueRow[]): Promise<string[]> =>
  answer(
    autocompleteMultiselect({
      message: "Which providers? Type to search, select with Tab, confirm with Enter",
      options: catalogue
        .filter(({ type, isDeprecated }) => (type === "oidc" || type === "oauth") && !isDeprecated)
        .map(({ file, name }) => ({ value: file, label: name, hint: file })),
      maxItems: 8,
      required: true,
    }),
  )

/** Links and passkeys leave the cookie out of the choice. */
const askSession = (isKept: boolean): Promise<Session> =>
  answer(
    select({
      message: isKept ? "Where are users, links and sessions kept?" : "Where are sessions kept?",
      options: SESSION_LABELS.filter(({ value }) => !isKept || value !== "cookie"),
    }),
  )

const askFramework = ({ framework }: Project): Promise<Framework> =>
  answer(select({ message: "Which framework?", options: [...FRAMEWORK_LABELS], initialValue: framework }))

const askLanguage = ({ language }: Project): Promise<Language> =>
  answer(select({ message: "Which language?", options: [...LANGUAGE_LABELS], initialValue: language }))

const askMethods = (): Promise<Method[]> =>
  answer(
    multiselect({
      message: "How do people sign in? Select with Space, confirm with Enter",
      options: [...METHOD_LABELS],
      required: true,
    }),
  )

/**
 * The options as somebody answers them, beginning with what the project says. What was given is not asked for.
 *
 * @throws Error when it is stopped by Ctrl-C or Escape
 */
export async function ask(
  given: InitValues,
  project: Project,
  catalogue: readonly CatalogueRow[],
): Promise<InitValues> {
  intro("latchkey")
  const framework = given.framework ?? (await askFramework(project))
  const language = given.language ?? (await askLanguage(project))
  const methods = await askMethods()
  const has = (method: Method): boolean => methods.includes(method)
  const provider = has("providers") ? await askProviders(catalogue) : []
  const session = given.session ?? (await askSession(has("email") || has("passkeys")))
  outro("Thank you.")
  const [email, passkeys, credentials, dev] = [has("email"), has("passkeys"), has("credentials"), has("dev")]
  return { ...given, framework, language, session, provider, email, passkeys, credentials, dev }
}
