import { readFileSync } from "node:fs"
import type { Choices, Framework } from "./choices.js"
import type { Project } from "./project.js"

const OF_FRAMEWORK: Readonly<Record<Framework, readonly string[]>> = {
  express: ["express"],
  hono: ["hono", "@hono/node-server"],
  fastify: ["fastify"],
  other: [],
}

const TYPES_OF_FRAMEWORK: Partial<Record<Framework, readonly string[]>> = { express: ["@types/express"] }

const DRIVERS = { postgres: "pg", mysql: "mysql2" } as const

/** Node.js has a driver of its own from 22.13 on. */
const hasOwnSqlite = (): boolean => process.getBuiltinModule?.("node:sqlite") !== undefined

function driversOf({ session }: Choices): string[] {
  if (session === "cookie") return []
  if (session === "sqlite") return hasOwnSqlite() ? ["kysely"] : ["kysely", "better-sqlite3"]
  return ["kysely", DRIVERS[session]]
}

function methodPackages({ rows }: Choices): string[] {
  return rows.flatMap(({ file, type }) => {
    if (type === "webauthn") return ["@simplewebauthn/server"]
    return file === "nodemailer" || file === "email" ? ["nodemailer"] : []
  })
}

/**
 * A name with the version that we work with, as a word that no shell takes apart: "@simplewebauthn/server@14" for
 * "^14.0.0". Where several go, the newest that runs on this Node.js is npm's to find.
 */
function withVersion(name: string, ranges: Readonly<Record<string, string>>): string {
  const [, major, minor] = /^\^(\d+)\.(\d+)\.\d+$/.exec(ranges[name] ?? "") ?? []
  if (major === undefined) return name
  return `${name}@${major === "0" ? `0.${minor}` : major}`
}

function readRanges(): Readonly<Record<string, string>> {
  // Beside `dist/`, where the command runs.
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).peerDependencies
}

/** The commands that add what is missing. */
export function installCommands(choices: Choices, { packages, installer }: Project): string[] {
  const ranges = readRanges()
  const { framework, language } = choices
  const wanted = ["latchkey", ...OF_FRAMEWORK[framework], ...driversOf(choices), ...methodPackages(choices)]
  const typed = ["tsx", "typescript", "@types/node", ...(TYPES_OF_FRAMEWORK[framework] ?? [])]
  const lines: readonly [string, readonly string[]][] = [
    [installer.add, wanted],
    [installer.addDev, language === "typescript" ? typed : []],
  ]
  return lines.flatMap(([command, names]) => {
    const missing = names.filter((name) => !packages.has(name)).map((name) => withVersion(name, ranges))
    return missing.length > 0 ? [`${command} ${missing.join(" ")}`] : []
  })
}
