import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { envPrefix } from "../../lib/base/text.js"
import { loadFactory, PROVIDER_FILES } from "../contracts/support/factories.js"

interface Row {
  readonly file: string
  readonly id: string
  readonly name: string
  readonly type: string
  readonly sentence: string
  readonly environment: string
  readonly redirectPath?: string
  readonly console: string
  readonly notes: readonly string[]
  readonly example: string
}

const CATALOGUE: readonly Row[] = JSON.parse(readFileSync("dist/catalogue.json", "utf8"))

it("docs/providers.md is up to date", () => {
  expect(() => execFileSync(process.execPath, ["scripts/catalogue.mjs", "--check"], { stdio: "pipe" })).not.toThrow()
})

it("docs/providers.md has no link inside code", () => {
  const code = readFileSync("docs/providers.md", "utf8").match(/`[^`\n]*`/g) ?? []
  expect(code.filter((text) => text.includes("<http"))).toEqual([])
})

it("the catalogue has every provider", () => {
  expect(CATALOGUE.map(({ file }) => file).sort()).toEqual([...PROVIDER_FILES].sort())
})

const vendorProviders = CATALOGUE.filter(({ type }) => type === "oauth" || type === "oidc")

it.each(vendorProviders)(
  "$file documents its purpose, variables, redirect path and console in its docstring",
  (row) => {
    const prefix = `AUTH_${row.id.toUpperCase().replaceAll("-", "_")}`
    expect(row.sentence).toMatch(/^(Sign-in|The same) .+\.$/)
    expect(row.environment).toContain(`\`${prefix}_ID\``)
    expect(row.redirectPath).toBe(`/callback/${row.id}`)
    expect(row.console).not.toBe("")
    expect(row.example).toContain(`from "latchkey/providers/${row.file}"`)
  },
)

it.each(CATALOGUE)("$file has an example of fewer than 12 lines", ({ example, file }) => {
  expect(example).toContain(`latchkey/providers/${file}`)
  expect(example.split("\n").length).toBeLessThan(12)
})

describe("environment variables of providers", () => {
  const OAUTH = ["ID", "SECRET", "ISSUER"]
  /** The variables that the core reads for each provider type. */
  const CORE: Readonly<Record<string, readonly string[]>> = {
    oauth: OAUTH,
    oidc: OAUTH,
    email: ["KEY", "FROM", "SERVER"],
  }
  const readByCore = ({ id, type }: Row) => (CORE[type] ?? []).map((end) => `${envPrefix(id)}_${end}`)
  const namesIn = (text: string) => [...text.matchAll(/`(AUTH_\w+)`/g)].map(({ 1: name = "" }) => name)

  /** The variables that a factory reads when it is called. */
  async function trackVariables({ file }: Row): Promise<readonly string[]> {
    const factory = await loadFactory(file)
    const read = new Set<string>()
    const env = new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void read.add(String(name)) })
    const replaced = jest.replaceProperty(process, "env", env)
    try {
      factory({})
    } catch {
      // An email provider without a server throws.
    } finally {
      replaced.restore()
    }
    return [...read].filter((name) => name.startsWith("AUTH_"))
  }

  /** The variables in a provider's source, including those that are read later. */
  const findVariables = ({ file }: Row): readonly string[] =>
    [
      ...readFileSync(`lib/providers/${file}.ts`, "utf8").matchAll(
        /\b(?:ownVariable|providerVariable)\("([^"]+)", "(\w+)"/g,
      ),
    ].map(({ 1: id = "", 2: end }) => `${envPrefix(id)}_${end}`)

  const readByFactory = async (row: Row) => [...new Set([...(await trackVariables(row)), ...findVariables(row)])]

  it.each(CATALOGUE)("$file documents exactly the variables that it reads", async (row) => {
    const listed = namesIn(row.environment)
    const read = await readByFactory(row)
    const isOwn = (name: string) => name.startsWith(`${envPrefix(row.id)}_`)
    expect(listed).toEqual(expect.arrayContaining(read.filter(isOwn)))
    // Variables of another provider are documented in a note.
    expect([...listed, ...namesIn(row.notes.join("\n"))]).toEqual(expect.arrayContaining(read))
    expect([...readByCore(row), ...read]).toEqual(expect.arrayContaining(listed))
  })

  it("docs/configuration.md names each variable that only one provider reads", async () => {
    const read = (await Promise.all(CATALOGUE.map(readByFactory))).flat()
    const ofAll = new Set(CATALOGUE.flatMap(readByCore))
    const [line = ""] = /^\| `AUTH_APPLE_.+$/m.exec(readFileSync("docs/configuration.md", "utf8")) ?? []
    expect(read).toContain("AUTH_BUNGIE_KEY")
    expect(namesIn(line)).toEqual(read.filter((name) => !ofAll.has(name)).sort())
  })
})
