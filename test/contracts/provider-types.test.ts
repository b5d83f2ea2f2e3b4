/** The compiler checks `test/types/catalogue.ts`; this test checks that every provider is in it. */
import { readFileSync } from "node:fs"
import { PROVIDER_FILES } from "./support/factories.js"

const TEXT = readFileSync("test/types/catalogue.ts", "utf8")
const IMPORTS = [...TEXT.matchAll(/^import (\w+) from "latchkey\/providers\/([\w-]+)"$/gm)]

describe("test/types/catalogue.ts", () => {
  it("imports every provider", () => {
    expect(IMPORTS.map(([, , file]) => file).sort()).toEqual([...PROVIDER_FILES].sort())
  })

  it("uses every provider both bare and called", () => {
    const missing = IMPORTS.map(([, name = ""]) => name).filter(
      (name) => !new RegExp(`^  \\.\\.\\.\\[${name}, ${name}\\(.+\\)\\],$`, "m").test(TEXT),
    )
    expect(missing).toEqual([])
  })
})
