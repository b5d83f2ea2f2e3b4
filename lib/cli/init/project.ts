import { existsSync, readFileSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import type { Framework, Language } from "./choices.js"

/** The project in the current folder. */
export interface Project {
  readonly framework: Framework
  readonly language: Language
  /** True if .js files are ES modules. */
  readonly isModule: boolean
  /** The path of the existing application's entry file; absent if there is none. */
  readonly server?: string
  /** The names of the dependencies and development dependencies in package.json. */
  readonly packages: ReadonlySet<string>
  /** The commands that add a dependency and a development dependency. */
  readonly installers: Installers
}

type Installers = readonly [add: string, addDev: string]

const NPM: Installers = ["npm install", "npm install --save-dev"]

const INSTALLERS: Readonly<Record<string, Installers>> = {
  "pnpm-lock.yaml": ["pnpm add", "pnpm add --save-dev"],
  "yarn.lock": ["yarn add", "yarn add --dev"],
  "bun.lock": ["bun add", "bun add --dev"],
  "bun.lockb": ["bun add", "bun add --dev"],
}

const ENTRY_FILES = ["", "src/"].flatMap((folder) =>
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
    throw new Error("package.json is not valid JSON: fix it first")
  }
}

function findServer({ main }: Manifest): string | undefined {
  const mainFile = typeof main === "string" && /\.[cm]?[jt]s$/.test(main) ? [join(main)] : []
  // Leave out the output of a build, because the next build would overwrite added lines.
  const candidates = [...ENTRY_FILES, ...mainFile.filter((path) => !/^(?:dist|build|lib)[/\\]/.test(path))]
  return candidates.find((path) => existsSync(path))
}

function detectLanguage(isModule: boolean, packages: ReadonlySet<string>, server?: string): Language {
  const extension = server && extname(server)
  if (extension?.endsWith("ts") || (!server && (packages.has("typescript") || existsSync("tsconfig.json"))))
    return "typescript"
  if (extension === ".mjs" || extension === ".cjs") return extension === ".mjs" ? "esm" : "commonjs"
  return isModule ? "esm" : "commonjs"
}

const detectFramework = (packages: ReadonlySet<string>): Framework =>
  (["express", "hono", "fastify"] as const).find((name) => packages.has(name)) ?? "express"

/**
 * Reads the project in the current folder.
 *
 * @throws Error if there is no package.json, or if it is not valid JSON
 */
export function readProject(): Project {
  const manifest = readManifest()
  const packages = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))
  const server = findServer(manifest)
  const isModule = manifest.type === "module"
  return {
    framework: detectFramework(packages),
    language: detectLanguage(isModule, packages, server),
    isModule,
    ...(server && { server }),
    packages,
    installers: Object.entries(INSTALLERS).find(([file]) => existsSync(file))?.[1] ?? NPM,
  }
}

/** Returns the folder of the existing application's entry file, or the current folder for a new application. */
export const sourceFolder = ({ server }: Project): string => (server ? dirname(server) : ".")
