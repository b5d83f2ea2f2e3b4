import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { isBuiltin } from "node:module"
import { resolve } from "node:path"
import { linkProblem, linksOf, targetOf } from "../docs/support/markdown.js"

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"))

const manifest = readJson("package.json")
const lock: {
  lockfileVersion: number
  packages: Record<string, { version?: string; resolved?: string; integrity?: string; hasInstallScript?: boolean }>
} = readJson("package-lock.json")

const DEPENDENCIES = ["@whatwg-node/server", "bowser", "cookie", "debug", "ejs", "jose", "lru-cache", "oauth4webapi"]

/** The dependencies of the dependencies, which have no others. */
const INDIRECT_DEPENDENCIES = [
  "@envelop/instrumentation",
  "@fastify/busboy",
  "@whatwg-node/disposablestack",
  "@whatwg-node/fetch",
  "@whatwg-node/node-fetch",
  "@whatwg-node/promise-helpers",
  "ms",
  "tslib",
  "urlpattern-polyfill",
]

/** The packages of the command's prompts. */
const PROMPT_PACKAGES = [
  "@clack/core",
  "@clack/prompts",
  "fast-string-truncated-width",
  "fast-string-width",
  "fast-wrap-ansi",
  "sisteransi",
]

/** The standard output of npm. */
const npm = (...parameters: string[]): string =>
  execFileSync("npm", parameters, { encoding: "utf8", maxBuffer: 1e8, stdio: ["ignore", "pipe", "ignore"] })

describe("the npm package", () => {
  const [packed] = JSON.parse(npm("pack", "--dry-run", "--json", "--ignore-scripts"))
  const files: string[] = packed.files.map(({ path }: { path: string }) => path)
  const isCode = (file: string) => /\.(?:c?js|d\.c?ts)$/.test(file)

  const EXPECTED = [
    /^(?:package\.json|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE)$/,
    // Modules with an import path, and shared chunks with a hash in their name.
    /^dist\/(?:adapters\/|providers\/|stores\/)?[\w-]+\.(?:js|cjs|d\.ts|d\.cts)$/,
    /^dist\/catalogue\.json$/,
    /^views\/(?:mail\/|methods\/)?[\w.-]+\.ejs$/,
    /^views\/icons\/[\w-]+\.svg$/,
    /^views\/locales\/[\w-]+\.json$/,
    /^views\/(?:(?:authenticator-names|webmail)\.json|icon\.svg|passkeys\.js|(?:developer|styles)\.css)$/,
    /^docs\/(?:errors\/|api\/(?:[\w-]+\/)*)?[\w-]+\.md$/,
    /^docs\/images\/[\w-]+\.(?:png|svg)$/,
    /^examples\/(?:[\w-]+\/)*[\w.-]+\.(?:md|[cm]?js|ts|json|ejs|css|html|ico)$/,
  ]

  it("contains only the build, the views, the documentation, the examples and five other files", () => {
    expect(files.filter((file) => !EXPECTED.some((pattern) => pattern.test(file)))).toEqual([])
    // Every pattern matches a file.
    expect(EXPECTED.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual([])
  })

  it.each(files.filter((file) => file.endsWith(".md")))("contains every link target of %s", (page) => {
    const links = linksOf(readFileSync(page, "utf8"))
    const isPacked = (target: string) => files.includes(target) || files.some((file) => file.startsWith(`${target}/`))
    expect(links.filter((link) => linkProblem(link, page) !== undefined || !isPacked(targetOf(link, page)))).toEqual([])
  })

  it.each(["adapters", "stores"])("exposes no undocumented module of %s", (folder) => {
    const modules = files.flatMap((file) => new RegExp(`^dist/${folder}/([\\w-]+)\\.js$`).exec(file)?.[1] ?? [])
    const documented = readdirSync(`docs/api/latchkey/${folder}`).map((file) => file.replace(/\.md$/, ""))
    expect(modules.sort()).toEqual(documented.sort())
  })

  it("contains every file that package.json names", () => {
    const promised = JSON.stringify([manifest.exports, manifest.bin, manifest.main, manifest.module, manifest.types])
    const paths = [...promised.matchAll(/"\.\/([^"*]+\.[^"*]+)"/g)].map(({ 1: path = "" }) => path)
    expect(paths.length).toBeGreaterThan(20)
    expect(paths.filter((path) => !files.includes(path))).toEqual([])
  })

  it("has fixed file modes regardless of the umask, and executable commands", () => {
    execFileSync(process.execPath, ["scripts/reproducible-modes.mjs"])
    const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)
    expect(Object.values<string>(manifest.bin).map(modeOf)).toEqual(["755"])
    expect(new Set(["README.md", "dist/index.js", "views/signin.ejs"].map(modeOf))).toEqual(new Set(["644"]))
  })

  it("contains the licences of all bundled packages", () => {
    const [asking = ""] = files.filter((file) => /^dist\/ask-/.test(file))
    const text = readFileSync(asking, "utf8")
    for (const name of PROMPT_PACKAGES)
      expect(text).toMatch(new RegExp(`With ${name} \\d[\\w.]+:\\n.*(?:MIT|Permission)`, "is"))
    const isBundled = (file: string) => /^\s*\/\/#region .*node_modules/m.test(readFileSync(file, "utf8"))
    const bundles = files.filter((file) => isCode(file) && !file.includes(".d.") && isBundled(file))
    expect(bundles).toContain(asking)
    expect(bundles.filter((file) => !readFileSync(file, "utf8").startsWith("/*! With "))).toEqual([])
  })

  it("is smaller than 1.6 megabytes", () => {
    expect(packed.size).toBeLessThan(1_600_000)
  })

  it("does not contain the path of its build folder", () => {
    const home = resolve(".")
    expect(files.filter((file) => readFileSync(file, "utf8").includes(home))).toEqual([])
  })

  it("imports only Node.js modules, dependencies and optional peers", () => {
    // The files that `init` writes import the package itself.
    const allowed = new Set([manifest.name, ...DEPENDENCIES, ...Object.keys(manifest.peerDependencies)])
    const isAllowed = (name: string) => name.startsWith(".") || isBuiltin(name) || allowed.has(packageOf(name))
    const found = files
      .filter((file) => file.startsWith("dist/") && isCode(file))
      .flatMap((file) => importsIn(readFileSync(file, "utf8")).map((name) => ({ file, name })))
    expect(found.length).toBeGreaterThan(100)
    expect(found.filter(({ name }) => !isAllowed(name))).toEqual([])
  })
})

const packageOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name

/** The names in a built file's imports; comment lines are skipped. */
const importsIn = (text: string): string[] =>
  [...text.matchAll(/^(?!\s*\*|\s*\/\/).*?\b(?:from|import|require)\b\s*\(?\s*["']([@\w./:-]+)["']/gm)].map(
    ({ 1: name = "" }) => name,
  )

describe("the dependencies", () => {
  it("are these seven", () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual(DEPENDENCIES)
    expect(manifest.optionalDependencies ?? {}).toEqual({})
    expect(manifest.bundleDependencies ?? []).toEqual([])
  })

  it("have only these dependencies themselves", () => {
    const neededBy = (name: string) => Object.keys(readJson(`node_modules/${name}/package.json`).dependencies ?? {})
    const needed = [...DEPENDENCIES, ...INDIRECT_DEPENDENCIES].flatMap(neededBy)
    expect([...new Set(needed)].sort()).toEqual(INDIRECT_DEPENDENCIES)
  })

  it("are complemented only by optional peers", () => {
    const { peerDependencies, peerDependenciesMeta } = manifest
    expect(Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional)).toEqual([])
  })

  it("have no install scripts, and this package has none either", () => {
    const HOOKS = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "dependencies"]
    expect(HOOKS.filter((name) => name in manifest.scripts)).toEqual([])
    const installed = [...DEPENDENCIES, ...INDIRECT_DEPENDENCIES]
    expect(installed.filter((name) => lock.packages[`node_modules/${name}`]?.hasInstallScript)).toEqual([])
  })
})

describe("the lock file", () => {
  const installed = Object.entries(lock.packages).filter(([path]) => path !== "")

  it("has a digest of every package", () => {
    expect(lock.lockfileVersion).toBe(3)
    expect(installed.length).toBeGreaterThan(100)
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([])
  })

  it("uses only npm's registry", () => {
    const elsewhere = installed.filter(
      ([, { resolved }]) => resolved && !resolved.startsWith("https://registry.npmjs.org/"),
    )
    expect(elsewhere).toEqual([])
  })

  it.each(["name", "version", "license", "engines", "bin", "dependencies", "devDependencies", "peerDependencies"])(
    "matches package.json: %s",
    (field) => {
      const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? {}).replaceAll('"./', '"'))
      expect(plain(Reflect.get(lock.packages[""] ?? {}, field))).toEqual(plain(manifest[field]))
    },
  )

  it("matches the installed versions", () => {
    const version = (name: string) => readJson(`node_modules/${name}/package.json`).version
    expect(DEPENDENCIES.map(version)).toEqual(
      DEPENDENCIES.map((name) => lock.packages[`node_modules/${name}`]?.version),
    )
  })
})

describe("the software bill of materials", () => {
  const env = { ...process.env, SOURCE_DATE_EPOCH: "1700000000" }
  const write = () => JSON.parse(execFileSync(process.execPath, ["scripts/sbom.mjs"], { encoding: "utf8", env }))
  const list = write()

  it("is CycloneDX for this version", () => {
    expect(list).toMatchObject({ bomFormat: "CycloneDX", specVersion: expect.stringMatching(/^1\.[5-9]$/) })
    expect(list.metadata.component).toMatchObject({ name: manifest.name, version: manifest.version })
    expect(list.serialNumber).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/)
  })

  it("names the dependencies and bundled packages with their digests", () => {
    const names = [
      ...DEPENDENCIES,
      ...INDIRECT_DEPENDENCIES,
      ...PROMPT_PACKAGES,
      "@simplewebauthn/browser",
      "simple-icons",
    ]
    const ours = names.map((name) => lock.packages[`node_modules/${name}`])
    const hexOf = (integrity = "") => Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex")
    const expected = names.map((name, index) => [name, ours[index]?.version, hexOf(ours[index]?.integrity)])
    const found = list.components.map((one: { name: string; version: string; hashes: { content: string }[] }) => [
      one.name,
      one.version,
      one.hashes[0]?.content,
    ])
    expect(found.sort()).toEqual(expected.sort())
  })

  it("is reproducible", () => {
    expect(write()).toEqual(list)
    expect(list.metadata.timestamp).toBe("2023-11-14T22:13:20.000Z")
  })
})
