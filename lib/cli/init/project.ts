import { existsSync, readFileSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import type { Framework, Language } from "./choices.js"

/** What the folder says of itself. */
export interface Project {
  readonly framework: Framework
  readonly language: Language
  /** Files that end in .js hold ES modules. */
  readonly isModule: boolean
  /** The application that is there already. */
  readonly server?: string
  /** Packages that it names. */
  readonly packages: ReadonlySet<string>
  /** What adds a package, and what adds one for development. */
  readonly installer: Installer
}

export interface Installer {
  readonly add: string
  readonly addDev: string
}

const NPM: Installer = { add: "npm install", addDev: "npm install --save-dev" }

/** By the file that each leaves behind. */
const INSTALLERS: Readonly<Record<string, Installer>> = {
  "pnpm-lock.yaml": { add: "pnpm add", addDev: "pnpm add --save-dev" },
  "yarn.lock": { add: "yarn add", addDev: "yarn add --dev" },
  "bun.lock": { add: "bun add", addDev: "bun add --dev" },
  "bun.lockb": { add: "bun add", addDev: "bun add --dev" },
}

const SERVERS = ["", "src/"].flatMap((folder) =>
  ["server", "app", "index", "main"].flatMap((name) =>
    [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"].map((extension) => folder + name + extension),
  ),
)

interface Manifest {
  readonly type?: unknown
  readonly main?: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

function readManifest(): Manifest {
  if (!existsSync("package.json"))
    throw new Error("there is no package.json in this folder: run npm init -y, then npx latchkey init again")
  try {
    return Object(JSON.parse(readFileSync("package.json", "utf8")))
  } catch {
    throw new Error("package.json is no JSON: mend it first")
  }
}

function findServer({ main }: Manifest): string | undefined {
  const named = typeof main === "string" && /\.[cm]?[jt]s$/.test(main) ? [join(main)] : []
  // What a build wrote is no place to add lines to.
  const candidates = [...SERVERS, ...named.filter((path) => !/^(?:dist|build|lib)[/\\]/.test(path))]
  return candidates.find((path) => existsSync(path))
}

function languageOf(isModule: boolean, packages: ReadonlySet<string>, server?: string): Language {
  const extension = server && extname(server)
  if (extension?.endsWith("ts") || (!server && (packages.has("typescript") || existsSync("tsconfig.json"))))
    return "typescript"
  if (extension === ".mjs" || extension === ".cjs") return extension === ".mjs" ? "esm" : "commonjs"
  return isModule ? "esm" : "commonjs"
}

const frameworkOf = (packages: ReadonlySet<string>): Framework =>
  (["express", "hono", "fastify"] as const).find((name) => packages.has(name)) ?? "express"

/**
 * What the folder of the process holds.
 *
 * @throws Error when there is no package.json, which says what files are
 */
export function readProject(): Project {
  const manifest = readManifest()
  const packages = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))
  const server = findServer(manifest)
  const isModule = manifest.type === "module"
  return {
    framework: frameworkOf(packages),
    language: languageOf(isModule, packages, server),
    isModule,
    ...(server && { server }),
    packages,
    installer: Object.entries(INSTALLERS).find(([file]) => existsSync(file))?.[1] ?? NPM,
  }
}

/** Beside the application that is there, or where a new one goes. */
export const folderOf = ({ server }: Project): string => (server ? dirname(server) : ".")
