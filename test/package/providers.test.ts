import { readdirSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { loadedBy } from "./support/loaded.js"

const DIST = resolve("dist")

const FORMATS = [".js", ".cjs"]
const FILES = readdirSync(join(DIST, "providers"))
  .filter((file) => /(?<!\.d)\.c?js$/.test(file))
  .map((file) => join(DIST, "providers", file))

/** Providers that extend another one. */
const MAY_LOAD: Readonly<Record<string, string>> = { "azure-ad": "microsoft-entra-id", passkey: "webauthn" }

/** The place in the text of a file where a provider has its id, which `id` matches. */
const definition = (id: string) => new RegExp(`(?:\\bid: |\\b(?:oauth|oidc|issuer)Provider\\()"(${id})",\\s`)

const nameOf = (file: string) => relative(join(DIST, "providers"), file).replace(/\.c?js$/, "")

describe.each(FORMATS)("the built providers, %s", (format) => {
  const files = FILES.filter((file) => file.endsWith(format) && (format === ".cjs") === file.endsWith(".cjs"))
  /** The id that identifies a provider in the text of its file. */
  const marks = new Map(
    files.flatMap((file) => {
      const id = definition("[\\w-]+").exec(readFileSync(file, "utf8"))?.[1]
      return id === undefined ? [] : [[nameOf(file), id] as const]
    }),
  )

  const textsLoadedBy = (name: string) =>
    [...loadedBy(join(DIST, "providers", name + format), "ever")].map((file) => readFileSync(file, "utf8"))

  it("exist", () => {
    expect(files.length).toBeGreaterThan(15)
    expect(marks.get("github")).toBe("github")
  })

  it("load no other provider", () => {
    const found = files.map(nameOf).flatMap((name) => {
      const texts = textsLoadedBy(name)
      const others = [...marks].filter(([other]) => other !== name && other !== MAY_LOAD[name])
      return others
        .filter(([, id]) => texts.some((text) => definition(id).test(text)))
        .map(([other]) => `${name} loads ${other}`)
    })
    expect(found).toEqual([])
  })

  it("load neither the views nor Express", () => {
    const found = files.map(nameOf).filter((name) => /["'](?:ejs|express)["']/.test(textsLoadedBy(name).join("\n")))
    expect(found).toEqual([])
  })
})
