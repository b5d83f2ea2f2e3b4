import type { CatalogueRow } from "../catalogue.js"
import type { Choices } from "./choices.js"
import { type Dialect, exported, type Import, importLines, typed } from "./source.js"

const CREDENTIALS = [
  "{",
  '  credentials: { email: { type: "email" }, password: { type: "password" } },',
  "  // ({ email, password }) => the user whose password it is. Until you look that up, nobody gets in.",
  "  authorize: () => null,",
  "}",
]

/** One member of `providers`, line by line. */
function entryOf({ type, factory, setup }: CatalogueRow): string[] {
  if (type !== "credentials") return [`${setup},`]
  const [first = "", ...rest] = CREDENTIALS
  return [`${factory}(${first}`, ...rest.slice(0, -1), `${rest.at(-1)}),`]
}

/** It refuses to start in production; there the others remain. */
const DEV_ENTRY = `...(process.env.NODE_ENV === "production" ? [] : [devProvider()]),`

function providersOf({ rows, usesDevProvider }: Choices): string[] {
  const entries = [...rows.flatMap(entryOf), ...(usesDevProvider ? [DEV_ENTRY] : [])]
  return ["  providers: [", ...entries.map((line) => `    ${line}`), "  ],"]
}

const ADDRESSES = {
  sqlite: `sqlite: "auth.db"`,
  postgres: "postgres: process.env.DATABASE_URL",
  mysql: "mysql: process.env.DATABASE_URL",
} as const

function importsOf({ rows, session, usesDevProvider }: Choices): Import[] {
  return [
    { from: "latchkey", types: ["AuthConfig"] },
    ...(session === "cookie" ? [] : [{ from: "latchkey/adapters/sql", names: ["SqlAdapter"] }]),
    ...rows.map(({ factory, file }) => ({ from: `latchkey/providers/${file}`, whole: factory })),
    ...(usesDevProvider ? [{ from: "latchkey/testing", names: ["devProvider"] }] : []),
  ]
}

/** `auth.js`: the configuration, for the application and for whoever else asks for it. */
export function authFile(choices: Choices, dialect: Dialect): string {
  const { session } = choices
  const names = ["authConfig", ...(session === "cookie" ? [] : ["adapter"])]
  return [
    ...importLines(importsOf(choices), dialect),
    "",
    ...(session === "cookie" ? [] : [`${exported("adapter", dialect)} = SqlAdapter({ ${ADDRESSES[session]} })`, ""]),
    ...(dialect.language === "typescript" ? [] : [`/** @type {import("latchkey").AuthConfig} */`]),
    `${exported("authConfig", dialect)}${typed(": AuthConfig", dialect)} = {`,
    ...(session === "cookie" ? [] : ["  adapter,"]),
    "  session: { hostPrefix: true },",
    ...providersOf(choices),
    "}",
    ...(dialect.language === "commonjs" ? ["", `module.exports = { ${names.join(", ")} }`] : []),
    "",
  ].join("\n")
}
