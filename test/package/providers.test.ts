import { readdirSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { loadedBy } from "./support/loaded.js"

const DIST = resolve("dist")

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
    const loaded = [...loadedBy(join(DIST, "providers", name + format), "ever")]
    const others = [...marks].filter(([other]) => other !== name && other !== MAY_LOAD[name])
    const texts = loaded.map((file) => readFileSync(file, "utf8"))
    const found = others.filter(([, id]) => texts.some((text) => new RegExp(`\\bid: "${id}",\\s+name: "`).test(text)))
    expect(found).toEqual([])
  })

  it.each(files.map(nameOf))("%s loads neither views nor the server's parts", (name) => {
    const texts = [...loadedBy(join(DIST, "providers", name + format), "ever")].map((file) =>
      readFileSync(file, "utf8"),
    )
    expect(texts.join("\n")).not.toMatch(/["'](?:ejs|express)["']/)
  })
})
