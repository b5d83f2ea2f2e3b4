import { readFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { thisCopy } from "../../package-copy.js"
import { readText } from "../files.js"
import type { Choices, Framework } from "./choices.js"
import type { Project } from "./project.js"

const NAME = "latchkey"

const OWN_FOLDER = thisCopy().folder

const FRAMEWORK_PACKAGES: Readonly<Record<Framework, readonly string[]>> = {
  express: ["express"],
  hono: ["hono", "@hono/node-server"],
  fastify: ["fastify"],
  other: [],
}

const DRIVERS = { postgres: "pg", mysql: "mysql2" } as const

function listDrivers({ session }: Choices): string[] {
  if (session === "cookie") return []
  if (session !== "sqlite") return ["kysely", DRIVERS[session]]
  // Node.js 22.13 and newer have a built-in driver.
  return process.getBuiltinModule?.("node:sqlite") ? ["kysely"] : ["kysely", "better-sqlite3"]
}

const PROVIDER_PACKAGES: Readonly<Record<string, string>> = {
  email: "nodemailer",
  nodemailer: "nodemailer",
  passkey: "@simplewebauthn/server",
  webauthn: "@simplewebauthn/server",
}

const listProviderPackages = ({ providers }: Choices): string[] =>
  providers.flatMap(({ file }) => PROVIDER_PACKAGES[file] ?? [])

/**
 * Adds the supported major version to the name of a package: "@simplewebauthn/server@14" for the range "^14.0.0". For
 * "^0.1.3", adds "@0.1". The range itself is not added, because a shell may interpret its characters. Returns only the
 * name if `ranges` has no range of this form for the package.
 */
function withVersion(name: string, ranges: Readonly<Record<string, string>>): string {
  const [, major, minor] = /^\^(\d+)\.(\d+)\.\d+$/.exec(ranges[name] ?? "") ?? []
  if (major === undefined) return name
  return `${name}@${major === "0" ? `0.${minor}` : major}`
}

/** Quotes a path for a shell if necessary. */
const quoted = (path: string): string => (/^[\w@%+=:,./\\-]+$/.test(path) ? path : `"${path}"`)

/**
 * Returns the version range or source of this package from the package.json of a folder. Returns undefined if that file
 * is missing, is not valid JSON, or does not list this package.
 */
function readSpec(folder: string): unknown {
  try {
    const { dependencies, devDependencies } = Object(JSON.parse(readText(join(folder, "package.json"))))
    return dependencies?.[NAME] ?? devDependencies?.[NAME]
  } catch {
    return undefined
  }
}

/**
 * Returns the nearest folder, from this folder upwards, whose package.json lists this package, and the listed version
 * range or source.
 */
function findSpec(folder: string): { folder: string; spec: string } | undefined {
  const spec = readSpec(folder)
  if (typeof spec === "string") return { folder, spec }
  return dirname(folder) === folder ? undefined : findSpec(dirname(folder))
}

/**
 * Returns the argument with which the package manager installs this package. The argument is the package's name if the
 * running copy was installed from the registry, and otherwise its tarball, folder or URL. A copy that `npx` installed
 * is also listed in a package.json, which `npx` writes.
 */
function ownSource(): string {
  if (basename(dirname(OWN_FOLDER)) !== "node_modules") return quoted(OWN_FOLDER)
  const found = findSpec(dirname(OWN_FOLDER))
  const [, path] = /^(?:file|link):(.+)$/.exec(found?.spec ?? "") ?? []
  if (found && path) return quoted(resolve(found.folder, path))
  return found && /^(?:git|https?|ssh|github)\b.*:/.test(found.spec) ? found.spec : NAME
}

/** Returns the commands that install the missing packages. */
export function installCommands(choices: Choices, { packages, installers }: Project): string[] {
  const { peerDependencies } = JSON.parse(readFileSync(join(OWN_FOLDER, "package.json"), "utf8"))
  const { framework, language } = choices
  const names = [NAME, ...FRAMEWORK_PACKAGES[framework], ...listDrivers(choices), ...listProviderPackages(choices)]
  const typescriptPackages = [
    "tsx",
    "typescript",
    "@types/node",
    ...(framework === "express" ? ["@types/express"] : []),
  ]
  return [names, language === "typescript" ? typescriptPackages : []].flatMap((needed, i) => {
    const missing = needed.filter((name) => !packages.has(name))
    const words = missing.map((name) => (name === NAME ? ownSource() : withVersion(name, peerDependencies)))
    return words.length > 0 ? [`${installers[i]} ${words.join(" ")}`] : []
  })
}
