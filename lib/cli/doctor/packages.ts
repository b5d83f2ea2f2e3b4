import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ProviderObject } from "../../provider-kit/provider.js"
import type { DoctorContext } from "./context.js"
import { type Check, type DoctorFinding, fail, ok } from "./finding.js"
import { satisfies } from "./version.js"

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly peerDependencies: Readonly<Record<string, string>>
}

const readManifest = (path: string | URL): Manifest =>
  // A package.json that npm or this project wrote.
  JSON.parse(readFileSync(path, "utf8")) as Manifest

/** The version of a package that Node.js resolves from a folder: in its `node_modules` or in a parent's. */
function installedVersion(name: string, folder: string): string | undefined {
  const path = join(folder, "node_modules", name, "package.json")
  if (existsSync(path)) return readManifest(path).version
  return dirname(folder) === folder ? undefined : installedVersion(name, dirname(folder))
}

/** Tests whether a configuration uses an optional peer dependency. */
type UsageTest = (context: DoctorContext) => boolean

const hasType =
  (type: ProviderObject["type"]): UsageTest =>
  ({ providers }) =>
    providers.some((provider) => provider.type === type)

const sendsBySmtp: UsageTest = ({ providers }) =>
  providers.some((provider) => {
    const requires: unknown = Reflect.get(provider, "requires")
    return Array.isArray(requires) && requires.includes("server")
  })

const isSql: UsageTest = ({ resolved }) => resolved.adapter !== undefined && "migrationSql" in resolved.adapter

interface Peer {
  /** The feature that needs the package. */
  readonly by: string
  readonly isUsed: UsageTest
  /** Whether it is one of several alternatives, of which the application needs one. */
  readonly isAlternative?: true
}

const PEERS: Readonly<Record<string, Peer>> = {
  "@simplewebauthn/server": { by: "passkeys", isUsed: hasType("webauthn") },
  nodemailer: { by: "email links", isUsed: sendsBySmtp },
  kysely: { by: "SqlAdapter", isUsed: isSql },
  pg: { by: "SqlAdapter", isUsed: isSql, isAlternative: true },
  mysql2: { by: "SqlAdapter", isUsed: isSql, isAlternative: true },
  "better-sqlite3": { by: "SqlAdapter", isUsed: isSql, isAlternative: true },
  express: { by: "authMiddleware", isUsed: () => true, isAlternative: true },
}

/** The finding of one package. */
export function peerFinding(
  name: string,
  range: string,
  { by, isAlternative }: Omit<Peer, "isUsed">,
  version: string | undefined,
): DoctorFinding[] {
  const fix = `npm install "${name}@${range}"`
  if (version === undefined)
    return isAlternative ? [] : [fail("package-missing", name, `is not installed, but ${by} needs it`, { fix })]
  if (satisfies(version, range)) return [ok("package-outdated", name, version)]
  return [
    fail("package-outdated", name, `has a version that ${by} does not support`, {
      seen: `${version}, but ${range} is required`,
      fix,
    }),
  ]
}

function nodeFinding(version: string, range: string): DoctorFinding {
  if (satisfies(version, range)) return ok("node-outdated", "Node.js", version)
  return fail("node-outdated", "Node.js", "this version is too old", { seen: version, fix: `Node.js ${range}` })
}

/** Finds a package next to this one, where it may be installed in a workspace. */
const versionNextToUs = (name: string): string | undefined =>
  installedVersion(name, dirname(fileURLToPath(import.meta.url)))

export const checkPackages: Check = {
  group: "Packages",
  code: "package-outdated",
  run(context) {
    const { engines, peerDependencies } = readManifest(new URL("../package.json", import.meta.url))
    const used = Object.entries(PEERS).filter(([, { isUsed }]) => isUsed(context))
    return [
      nodeFinding(process.versions.node, engines.node),
      ...used.flatMap(([name, peer]) =>
        peerFinding(
          name,
          peerDependencies[name] ?? "*",
          peer,
          installedVersion(name, context.folder) ?? versionNextToUs(name),
        ),
      ),
    ]
  },
}
