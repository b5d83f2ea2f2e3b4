/** The compiler looks at what stands in `test/types/catalogue.ts`; here is held that every provider stands there. */
import { readFileSync } from "node:fs"
import { PROVIDER_FILES } from "./support/factories.js"

const TEXT = readFileSync("test/types/catalogue.ts", "utf8")
const IMPORTS = [...TEXT.matchAll(/^import (\w+) from "latchkey\/providers\/([\w-]+)"$/gm)].map(
  ([, name = "", file = ""]) => [file, name] as const,
)

it("imports every provider", () => {
  expect(IMPORTS.map(([file]) => file).sort()).toEqual([...PROVIDER_FILES].sort())
})

it.each(IMPORTS)("%s: %s is taken bare and called", (_file, name) => {
  expect(TEXT).toMatch(new RegExp(`^  \\.\\.\\.\\[${name}, ${name}\\(.+\\)\\],$`, "m"))
})
