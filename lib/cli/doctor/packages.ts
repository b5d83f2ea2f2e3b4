import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { thisCopy } from "../../package-copy.js"
import type { ProviderObject } from "../../provider-kit/provider.js"
import { type DoctorContext, type DoctorFinding, fail, ok } from "./check.js"

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly peerDependencies: Readonly<Record<string, string>>
}

const readManifest = (path: string): Manifest =>
  // The content is not validated, because npm or this project wrote the file.
  JSON.parse(readFileSync(path, "utf8")) as Manifest

/**
 * Returns the version of the package that Node.js resolves from a folder: in `node_modules` of this folder or of a
 * parent folder. Returns undefined if the package is not installed.
 */
function installedVersion(name: string, folder: string): string | undefined {
  const path = join(folder, "node_modules", name, "package.json")
  if (existsSync(path)) return readManifest(path).version
  return dirname(folder) === folder ? undefined : installedVersion(name, dirname(folder))
}

/** Returns the numbers of a version, or of the lowest version of a range. */
const readNumbers = (text: string): readonly number[] => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? "").split(".").map(Number)

/** True if a version satisfies a range. Supports only the syntax of this package's package.json: `^1.2.0 || >=3`. */
export function satisfies(version: string, range: string): boolean {
  const actual = readNumbers(version)
  return range.split("||").some((part) => {
    const minimum = readNumbers(part)
    const differingIndex = [0, 1, 2].find((i) => (actual[i] ?? 0) !== (minimum[i] ?? 0))
    if (differingIndex === undefined) return true
    // With `^`, the leftmost number that is not zero may not change.
    const fixedIndex = part.trim().startsWith(">=") ? -1 : minimum.findIndex((number) => number > 0)
    return differingIndex > fixedIndex && (actual[differingIndex] ?? 0) > (minimum[differingIndex] ?? 0)
  })
}

type UsageTest = (resolved: DoctorContext["resolved"]) => boolean

const hasType =
  (type: ProviderObject["type"]): UsageTest =>
  ({ providers }) =>
    providers.some((provider) => provider.type === type)

const sendsBySmtp: UsageTest = ({ providers }) =>
  providers.some((provider) => [Reflect.get(provider, "requires")].flat().includes("server"))

const isSql: UsageTest = ({ adapter, store }) => [adapter, store].some((used) => used && "migrationSql" in used)

interface Peer {
  /** The feature that needs the package. */
  readonly feature: string
  readonly isUsed: UsageTest
  /** True if the application may use another package instead, so that this package may be missing. */
  readonly isAlternative?: true
}

const SQL = { feature: "the SQL database", isUsed: isSql } as const

const SECOND_FACTOR: Peer = {
  feature: "the second factor",
  isUsed: ({ secondFactor }) => secondFactor !== undefined,
}

/** The features that use the peer dependencies of package.json. */
export const PEERS: Readonly<Record<string, Peer>> = {
  "@simplewebauthn/server": { feature: "passkeys", isUsed: hasType("webauthn") },
  nodemailer: { feature: "email links", isUsed: sendsBySmtp },
  kysely: SQL,
  pg: { ...SQL, isAlternative: true },
  mysql2: { ...SQL, isAlternative: true },
  "better-sqlite3": { ...SQL, isAlternative: true },
  otplib: SECOND_FACTOR,
  uqr: SECOND_FACTOR,
  express: { feature: "authMiddleware", isUsed: () => true, isAlternative: true },
}

/** Returns the finding about one package. Returns no finding for an alternative that is not installed. */
export function peerFinding(
  name: string,
  range: string,
  { feature, isAlternative }: Omit<Peer, "isUsed">,
  version: string | undefined,
): DoctorFinding[] {
  const fix = `npm install "${name}@${range}"`
  if (version === undefined)
    return isAlternative ? [] : [fail("package-missing", name, { seen: `not installed; required by ${feature}`, fix })]
  if (satisfies(version, range)) return [ok("package-outdated", name, version)]
  return [fail("package-outdated", name, { seen: `${version}; ${range} is required by ${feature}`, fix })]
}

function nodeFinding(version: string, range: string): DoctorFinding {
  if (satisfies(version, range)) return ok("node-outdated", "Node.js", version)
  return fail("node-outdated", "Node.js", { seen: version, fix: `Node.js ${range}` })
}

/**
 * Returns the version of a package that the current folder resolves. If it resolves none, returns the version that the
 * folder of latchkey resolves: in a workspace, latchkey may be installed in another folder.
 */
const findVersion = (name: string): string | undefined =>
  installedVersion(name, process.cwd()) ?? installedVersion(name, thisCopy().folder)

/** Checks the versions of Node.js and of the packages that the configuration uses. */
export function checkPackages({ resolved }: DoctorContext): DoctorFinding[] {
  const { engines, peerDependencies } = readManifest(join(thisCopy().folder, "package.json"))
  const used = Object.entries(PEERS).filter(([, { isUsed }]) => isUsed(resolved))
  return [
    nodeFinding(process.versions.node, engines.node),
    ...used.flatMap(([name, peer]) => peerFinding(name, peerDependencies[name] ?? "*", peer, findVersion(name))),
  ]
}
