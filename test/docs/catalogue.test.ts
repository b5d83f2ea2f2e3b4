import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { envPrefix } from "../../lib/env-name.js"
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

it("docs/providers.md has the list that the files make", () => {
  expect(() => execFileSync(process.execPath, ["scripts/catalogue.mjs", "--check"], { stdio: "pipe" })).not.toThrow()
})

it("docs/providers.md has code that can be copied: no link stands in it", () => {
  const code = readFileSync("docs/providers.md", "utf8").match(/`[^`\n]*`/g) ?? []
  expect(code.filter((text) => text.includes("<http"))).toEqual([])
})

it("has every provider", () => {
  expect(CATALOGUE.map(({ file }) => file).sort()).toEqual([...PROVIDER_FILES].sort())
})

const ofVendors = CATALOGUE.filter(({ type }) => type === "oauth" || type === "oidc")

it.each(ofVendors)("$file says in its docstring what an application has to know", (row) => {
  const prefix = `AUTH_${row.id.toUpperCase().replaceAll("-", "_")}`
  expect(row.sentence).toMatch(/^(Sign-in|The same) .+\.$/)
  expect(row.environment).toContain(`\`${prefix}_ID\``)
  expect(row.redirectPath).toBe(`/callback/${row.id}`)
  expect(row.console).not.toBe("")
  expect(row.example).toContain(`from "latchkey/providers/${row.file}"`)
})

it.each(CATALOGUE)("$file has an example of few lines", ({ example, file }) => {
  expect(example).toContain(`latchkey/providers/${file}`)
  expect(example.split("\n").length).toBeLessThan(12)
})

describe("the variables of providers", () => {
  const OAUTH = ["ID", "SECRET", "ISSUER"]
  /** What the core reads for every provider of a type. */
  const CORE: Readonly<Record<string, readonly string[]>> = {
    oauth: OAUTH,
    oidc: OAUTH,
    email: ["KEY", "FROM", "SERVER"],
  }
  const readByCore = ({ id, type }: Row) => (CORE[type] ?? []).map((end) => `${envPrefix(id)}_${end}`)
  const namesIn = (text: string) => [...text.matchAll(/`(AUTH_\w+)`/g)].map(({ 1: name = "" }) => name)

  /** What a factory asks the environment for when it is called. */
  async function askedBy({ file }: Row): Promise<readonly string[]> {
    const factory = await loadFactory(file)
    const asked = new Set<string>()
    const env = new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void asked.add(String(name)) })
    const replaced = jest.replaceProperty(process, "env", env)
    try {
      factory({})
    } catch {
      // Without its server a provider of mails is none.
    } finally {
      replaced.restore()
    }
    return [...asked].filter((name) => name.startsWith("AUTH_"))
  }

  /** What its source names: something may be read later, when it is needed. */
  const namedBy = ({ file }: Row): readonly string[] =>
    [...readFileSync(`lib/providers/${file}.ts`, "utf8").matchAll(/\b(?:ownV|v)ariableOf\("([^"]+)", "(\w+)"/g)].map(
      ({ 1: id = "", 2: end }) => `${envPrefix(id)}_${end}`,
    )

  const readByFactory = async (row: Row) => [...new Set([...(await askedBy(row)), ...namedBy(row)])]

  it.each(CATALOGUE)("$file lists all that it reads, and no other", async (row) => {
    const listed = namesIn(row.environment)
    const read = await readByFactory(row)
    const isOwn = (name: string) => name.startsWith(`${envPrefix(row.id)}_`)
    expect(listed).toEqual(expect.arrayContaining(read.filter(isOwn)))
    // What it takes of another provider is told in a note.
    expect([...listed, ...namesIn(row.notes.join("\n"))]).toEqual(expect.arrayContaining(read))
    expect([...readByCore(row), ...read]).toEqual(expect.arrayContaining(listed))
  })

  it("are named in docs/configuration.md where one provider alone has such a one", async () => {
    const read = (await Promise.all(CATALOGUE.map(readByFactory))).flat()
    const ofAll = new Set(CATALOGUE.flatMap(readByCore))
    const [line = ""] = /^\| `AUTH_APPLE_.+$/m.exec(readFileSync("docs/configuration.md", "utf8")) ?? []
    expect(read).toContain("AUTH_BUNGIE_KEY")
    expect(namesIn(line)).toEqual(read.filter((name) => !ofAll.has(name)).sort())
  })
})
