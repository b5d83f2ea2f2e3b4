import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ProviderObject } from "../../providers/provider.js"
import type { Examined } from "./examined.js"
import { type Check, type DoctorFinding, fail, ok } from "./finding.js"
import { satisfies } from "./version.js"

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly peerDependencies: Readonly<Record<string, string>>
}

const readManifest = (path: string | URL): Manifest =>
  // Written by npm, or by us.
  JSON.parse(readFileSync(path, "utf8")) as Manifest

/** The version of a package as Node.js would find it from a folder: in its `node_modules`, or in one above. */
function installedVersion(name: string, folder: string): string | undefined {
  const path = join(folder, "node_modules", name, "package.json")
  if (existsSync(path)) return readManifest(path).version
  return dirname(folder) === folder ? undefined : installedVersion(name, dirname(folder))
}

/** What calls each of our optional peers, by what a configuration has. */
type User = (at: Examined) => boolean

const hasType =
  (type: ProviderObject["type"]): User =>
  ({ providers }) =>
    providers.some((provider) => provider.type === type)

const sendsBySmtp: User = ({ providers }) =>
  providers.some((provider) => {
    const requires: unknown = Reflect.get(provider, "requires")
    return Array.isArray(requires) && requires.includes("server")
  })

const isSql: User = ({ resolved }) => resolved.adapter !== undefined && "migrationSql" in resolved.adapter

interface Peer {
  readonly by: string
  readonly isUsed: User
  /** Is it one of several, of which the application has chosen one? */
  readonly isAlternative?: true
}

const PEERS: Readonly<Record<string, Peer>> = {
  "@simplewebauthn/server": { by: "passkeys", isUsed: hasType("webauthn") },
  nodemailer: { by: "sign-in mails", isUsed: sendsBySmtp },
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
  const write = `npm install "${name}@${range}"`
  if (version === undefined)
    return isAlternative ? [] : [fail("package-missing", name, `is not installed, and needed for ${by}`, { write })]
  if (satisfies(version, range)) return [ok("package-outdated", name, version)]
  return [
    fail("package-outdated", name, `another version is needed for ${by}`, {
      seen: `${version}, and ${range} is wanted`,
      write,
    }),
  ]
}

function nodeFinding(version: string, range: string): DoctorFinding {
  if (satisfies(version, range)) return ok("node-outdated", "Node.js", version)
  return fail("node-outdated", "Node.js", "this version is too old", { seen: version, write: `Node.js ${range}` })
}

/** A workspace may have it beside this package alone. */
const ours = (name: string): string | undefined => installedVersion(name, dirname(fileURLToPath(import.meta.url)))

export const checkPackages: Check = {
  group: "Packages",
  code: "package-outdated",
  run(at) {
    const { engines, peerDependencies } = readManifest(new URL("../package.json", import.meta.url))
    const used = Object.entries(PEERS).filter(([, { isUsed }]) => isUsed(at))
    return [
      nodeFinding(process.versions.node, engines.node),
      ...used.flatMap(([name, peer]) =>
        peerFinding(name, peerDependencies[name] ?? "*", peer, installedVersion(name, at.folder) ?? ours(name)),
      ),
    ]
  },
}
