import { existsSync, readFileSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import type { Framework, Language } from "./choices.js"

/** The properties of the project's folder. */
export interface Project {
  readonly framework: Framework
  readonly language: Language
  /** Whether .js files are ES modules. */
  readonly isModule: boolean
  /** The existing application. */
  readonly server?: string
  /** The packages in its package.json. */
  readonly packages: ReadonlySet<string>
  /** The commands that add a package and a development package. */
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
    throw new Error("package.json is not valid JSON: fix it first")
  }
}

function findServer({ main }: Manifest): string | undefined {
  const named = typeof main === "string" && /\.[cm]?[jt]s$/.test(main) ? [join(main)] : []
  // Do not add lines to the output of a build.
  const candidates = [...SERVERS, ...named.filter((path) => !/^(?:dist|build|lib)[/\\]/.test(path))]
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
 * @throws Error if there is no package.json
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

/** The folder of the existing application, or the one for a new application. */
export const sourceFolder = ({ server }: Project): string => (server ? dirname(server) : ".")
