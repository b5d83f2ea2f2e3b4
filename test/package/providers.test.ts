import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

const DIST = resolve("dist")

/** The files that a built file imports or requires, at once or when it runs. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8")
  const specifiers = text.matchAll(/(?:from\s*|import\s*\(?\s*|require\s*\(\s*)["'](\.[^"']+)["']/g)
  return [...specifiers].map(({ 1: specifier = "" }) => join(dirname(file), specifier))
}

/** Everything that importing a file loads, itself included. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const next of importsOf(file)) loadedBy(next, found)
  return found
}

const FORMATS = [".js", ".cjs"]
const FILES = readdirSync(join(DIST, "providers"))
  .filter((file) => /(?<!\.d)\.c?js$/.test(file))
  .map((file) => join(DIST, "providers", file))

/** One is the other under another name, or with other options. */
const MAY_LOAD: Readonly<Record<string, string>> = { "azure-ad": "microsoft-entra-id", passkey: "webauthn" }

const nameOf = (file: string) => relative(join(DIST, "providers"), file).replace(/\.c?js$/, "")

describe.each(FORMATS)("the built providers, %s", (format) => {
  const files = FILES.filter((file) => file.endsWith(format) && (format === ".cjs") === file.endsWith(".cjs"))
  /** What a provider is known by in its own file. */
  const marks = new Map(
    files.flatMap((file) => {
      const id = /\bid: "([\w-]+)",\s+name: "/.exec(readFileSync(file, "utf8"))?.[1]
      return id === undefined ? [] : [[nameOf(file), id] as const]
    }),
  )

  it("are found", () => {
    expect(files.length).toBeGreaterThan(15)
    expect(marks.get("github")).toBe("github")
  })

  it.each(files.map(nameOf))("%s loads no other", (name) => {
    const loaded = [...loadedBy(join(DIST, "providers", name + format))]
    const others = [...marks].filter(([other]) => other !== name && other !== MAY_LOAD[name])
    const texts = loaded.map((file) => readFileSync(file, "utf8"))
    const found = others.filter(([, id]) => texts.some((text) => new RegExp(`\\bid: "${id}",\\s+name: "`).test(text)))
    expect(found).toEqual([])
  })

  it.each(files.map(nameOf))("%s loads neither views nor the server's parts", (name) => {
    const texts = [...loadedBy(join(DIST, "providers", name + format))].map((file) => readFileSync(file, "utf8"))
    expect(texts.join("\n")).not.toMatch(/["'](?:ejs|express)["']/)
  })
})
