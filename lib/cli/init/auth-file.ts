import type { CatalogueRow } from "../catalogue.js"
import type { Choices } from "./choices.js"
import { type Dialect, exported, type Import, importLines, typed } from "./source.js"

/** The argument of the credentials provider, as lines. */
const CREDENTIALS = [
  "{",
  '  credentials: { email: { type: "email" }, password: { type: "password" } },',
  "  // Replace this with a function ({ email, password }) => user, or null. Until then no user can sign in.",
  "  authorize: () => null,",
  "}",
]

/** The lines of one entry of `providers`. */
function providerEntry({ type, factory, setup }: CatalogueRow): string[] {
  if (type !== "credentials") return [`${setup},`]
  const [first = "", ...rest] = CREDENTIALS
  return [`${factory}(${first}`, ...rest.slice(0, -1), `${rest.at(-1)}),`]
}

/** The development provider refuses to start in production, so the line adds it only elsewhere. */
const DEV_ENTRY = `...(process.env.NODE_ENV === "production" ? [] : [devProvider()]),`

/** The lines of the option `providers`. */
function providersSource({ providers, usesDevProvider }: Choices): string[] {
  const entries = [...providers.flatMap(providerEntry), ...(usesDevProvider ? [DEV_ENTRY] : [])]
  return ["  providers: [", ...entries.map((line) => `    ${line}`), "  ],"]
}

/** The options of `SqlAdapter` for each database. */
const ADAPTER_OPTIONS = {
  sqlite: `sqlite: "auth.db"`,
  postgres: "postgres: process.env.DATABASE_URL",
  mysql: "mysql: process.env.DATABASE_URL",
} as const

function listImports({ providers, session, usesDevProvider }: Choices): Import[] {
  return [
    { from: "latchkey", types: ["AuthConfig"] },
    ...(session === "cookie" ? [] : [{ from: "latchkey/adapters/sql", names: ["SqlAdapter"] }]),
    ...providers.map(({ factory, file }) => ({ from: `latchkey/providers/${file}`, defaultName: factory })),
    ...(usesDevProvider ? [{ from: "latchkey/testing", names: ["devProvider"] }] : []),
  ]
}

/** Returns the source of `auth.js`: the configuration, which the application and the doctor import. */
export function authFile(choices: Choices, dialect: Dialect): string {
  const { session } = choices
  const exportNames = ["authConfig", ...(session === "cookie" ? [] : ["adapter"])]
  return [
    ...importLines(listImports(choices), dialect),
    "",
    ...(session === "cookie"
      ? []
      : [`${exported("adapter", dialect)} = SqlAdapter({ ${ADAPTER_OPTIONS[session]} })`, ""]),
    ...(dialect.language === "typescript" ? [] : [`/** @type {import("latchkey").AuthConfig} */`]),
    `${exported("authConfig", dialect)}${typed(": AuthConfig", dialect)} = {`,
    ...(session === "cookie" ? [] : ["  adapter,"]),
    // The default of authHandlers, which the doctor could not know.
    ...(choices.framework === "express" ? [] : ['  basePath: "/api/auth",']),
    "  session: { hostPrefix: true },",
    ...providersSource(choices),
    "}",
    ...(dialect.language === "commonjs" ? ["", `module.exports = { ${exportNames.join(", ")} }`] : []),
    "",
  ].join("\n")
}
