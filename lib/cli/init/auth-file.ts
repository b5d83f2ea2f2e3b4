import type { ProviderType } from "../../base/types.js"
import type { CatalogueRow } from "../catalogue.js"
import type { Choices } from "./choices.js"
import { convertSource, type Dialect, ifTypeScript } from "./source.js"

/** The source lines of the options that a provider's factory requires, by the type of the provider. */
const REQUIRED_OPTIONS: Readonly<Partial<Record<ProviderType, readonly string[]>>> = {
  credentials: [
    'credentials: { email: { type: "email" }, password: { type: "password" } },',
    "// Replace this with a function ({ email, password }) => user, or null. Until then no user can sign in.",
    "authorize: () => null,",
  ],
}

function providerEntry({ type, factory, setup }: CatalogueRow): string[] {
  const options = REQUIRED_OPTIONS[type]
  return options ? [`${factory}({`, ...options.map((line) => `  ${line}`), "}),"] : [`${setup},`]
}

/** The source line that adds the development provider, except in production, where the provider fails at start-up. */
const DEV_ENTRY = `...(process.env.NODE_ENV === "production" ? [] : [devProvider()]),`

function providersSource({ providers, usesDevProvider }: Choices): string[] {
  const entries = [...providers.flatMap(providerEntry), ...(usesDevProvider ? [DEV_ENTRY] : [])]
  return ["  providers: [", ...entries.map((line) => `    ${line}`), "  ],"]
}

/** The source text of the options of `SqlAdapter` for each database. */
const ADAPTER_OPTIONS = {
  sqlite: `sqlite: "auth.db"`,
  postgres: "postgres: process.env.DATABASE_URL",
  mysql: "mysql: process.env.DATABASE_URL",
} as const

const importLines = ({ providers, session, usesDevProvider }: Choices): string[] => [
  'import type { AuthConfig } from "latchkey"',
  ...(session === "cookie" ? [] : ['import { SqlAdapter } from "latchkey/adapters/sql"']),
  ...providers.map(({ factory, file }) => `import ${factory} from "latchkey/providers/${file}"`),
  ...(usesDevProvider ? ['import { devProvider } from "latchkey/testing"'] : []),
]

/** Returns the source of `auth.js`: the configuration, which the application and the doctor import. */
export function authFile(choices: Choices, dialect: Dialect): string {
  const { session, framework } = choices
  const exportNames = ["authConfig", ...(session === "cookie" ? [] : ["adapter"])]
  const lines = [
    ...importLines(choices),
    "",
    ...(session === "cookie" ? [] : [`export const adapter = SqlAdapter({ ${ADAPTER_OPTIONS[session]} })`, ""]),
    ...(dialect.language === "typescript" ? [] : [`/** @type {import("latchkey").AuthConfig} */`]),
    `export const authConfig${ifTypeScript(": AuthConfig", dialect)} = {`,
    ...(session === "cookie" ? [] : ["  adapter,"]),
    // The default of authHandlers. Without this line, the doctor would use the default of authMiddleware.
    ...(framework === "express" ? [] : ['  basePath: "/api/auth",']),
    "  session: { hostPrefix: true },",
    ...providersSource(choices),
    "}",
    ...(dialect.language === "commonjs" ? ["", `module.exports = { ${exportNames.join(", ")} }`] : []),
    "",
  ]
  return convertSource(lines.join("\n"), dialect)
}
