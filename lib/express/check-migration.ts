import { types } from "node:util"
import { type ConfigProblem, configProblem } from "../errors/errors.js"
import type { Runtime } from "../runtime/runtime.js"
import type { MigrateSessionOptions } from "./session-migration.js"

/** The maximum duration of a migration: a year. During a migration, a stolen old cookie can be used to sign in. */
const MAX_DURATION_MS = 366 * 24 * 60 * 60 * 1000

const migrationProblem = (option: keyof MigrateSessionOptions, finding: string, fix: string) =>
  configProblem("migration-invalid", `migrateSession.${option}`, finding, fix)

/** Returns all problems of the options of `migrateSession`; an empty list if the options are valid. */
export const migrationProblems = (options: MigrateSessionOptions, runtime: Runtime): ConfigProblem[] => [
  ...cookieProblems(options, runtime),
  ...untilProblems(options, runtime),
  ...(typeof options.read === "function"
    ? []
    : [
        migrationProblem(
          "read",
          "is missing",
          "Write a function that returns the user of the old session: read: async (req) => …",
        ),
      ]),
]

function cookieProblems({ cookie }: MigrateSessionOptions, { cookieSetFor }: Runtime): ConfigProblem[] {
  const names: unknown[] = [cookie].flat()
  if (names.length === 0 || !names.every((name) => typeof name === "string" && name !== ""))
    return [
      migrationProblem(
        "cookie",
        `is ${JSON.stringify(cookie)}`,
        'Write the name of the old cookie: cookie: "connect.sid"',
      ),
    ]
  const ownNames = ["http:", "https:"]
    .map(cookieSetFor)
    .flatMap(({ sessionToken, formerSessionToken }) => [sessionToken.name, formerSessionToken.name])
  return names
    .filter((name) => typeof name === "string" && ownNames.includes(name))
    .map((name) =>
      migrationProblem(
        "cookie",
        `is "${name}", the name of this configuration's own session cookie`,
        "If Auth.js created the old sessions, remove migrateSession, because they stay valid. Otherwise set another name in cookies.sessionToken.name",
      ),
    )
}

function untilProblems({ until }: MigrateSessionOptions, { now }: Runtime): ConfigProblem[] {
  const isDate = types.isDate(until) && !Number.isNaN(until.getTime())
  const example = new Date(now() + 30 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  const fix = `Write the date when the last old session expires: until: new Date("${example}")`
  if (!isDate) return [migrationProblem("until", `is ${until === undefined ? "missing" : JSON.stringify(until)}`, fix)]
  if (until.getTime() - now() <= MAX_DURATION_MS) return []
  const finding = `is ${until.toISOString()}, more than a year ahead; until then, a stolen old cookie can be used to sign in`
  return [migrationProblem("until", finding, fix)]
}
