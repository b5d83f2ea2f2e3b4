import { readFileSync } from "node:fs"
import type { Choices, Framework } from "./choices.js"
import { ownSource } from "./own-source.js"
import type { Project } from "./project.js"

const FRAMEWORK_PACKAGES: Readonly<Record<Framework, readonly string[]>> = {
  express: ["express"],
  hono: ["hono", "@hono/node-server"],
  fastify: ["fastify"],
  other: [],
}

const FRAMEWORK_TYPES: Partial<Record<Framework, readonly string[]>> = { express: ["@types/express"] }

const DRIVERS = { postgres: "pg", mysql: "mysql2" } as const

/** True if Node.js has a built-in driver, as 22.13 and newer do. */
const hasOwnSqlite = (): boolean => process.getBuiltinModule?.("node:sqlite") !== undefined

function listDrivers({ session }: Choices): string[] {
  if (session === "cookie") return []
  if (session === "sqlite") return hasOwnSqlite() ? ["kysely"] : ["kysely", "better-sqlite3"]
  return ["kysely", DRIVERS[session]]
}

function methodPackages({ providers }: Choices): string[] {
  return providers.flatMap(({ file, type }) => {
    if (type === "webauthn") return ["@simplewebauthn/server"]
    return file === "nodemailer" || file === "email" ? ["nodemailer"] : []
  })
}

/**
 * Adds the supported version to a name, without characters that a shell would interpret: "@simplewebauthn/server@14" for
 * "^14.0.0". If several versions are supported, npm chooses.
 */
function withVersion(name: string, ranges: Readonly<Record<string, string>>): string {
  const [, major, minor] = /^\^(\d+)\.(\d+)\.\d+$/.exec(ranges[name] ?? "") ?? []
  if (major === undefined) return name
  return `${name}@${major === "0" ? `0.${minor}` : major}`
}

function readRanges(): Readonly<Record<string, string>> {
  // Next to `dist/`, where the command runs.
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).peerDependencies
}

/** Returns the commands that install the missing packages. */
export function installCommands(choices: Choices, { packages, installer }: Project): string[] {
  const ranges = readRanges()
  const { framework, language } = choices
  const packageNames = [
    "latchkey",
    ...FRAMEWORK_PACKAGES[framework],
    ...listDrivers(choices),
    ...methodPackages(choices),
  ]
  const typePackages = ["tsx", "typescript", "@types/node", ...(FRAMEWORK_TYPES[framework] ?? [])]
  const lines: readonly [string, readonly string[]][] = [
    [installer.add, packageNames],
    [installer.addDev, language === "typescript" ? typePackages : []],
  ]
  return lines.flatMap(([command, names]) => {
    const missing = names
      .filter((name) => !packages.has(name))
      .map((name) => (name === "latchkey" ? ownSource() : withVersion(name, ranges)))
    return missing.length > 0 ? [`${command} ${missing.join(" ")}`] : []
  })
}
