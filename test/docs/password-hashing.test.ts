/** The sample for hashing passwords under load. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { blocksOf, read } from "./support/markdown.js"

/** Starts 60 attempts, reads a file ten times meanwhile, and prints the longest delay in milliseconds. */
const MEASURE = `
import { readFile } from "node:fs/promises"
for (let i = 0; i < 60; i++) void checkPassword("ada" + i, "wrong")
let longest = 0
for (let i = 0; i < 10; i++) {
  const startedAt = performance.now()
  await readFile(process.execPath + "/../../package.json").catch(() => {})
  longest = Math.max(longest, performance.now() - startedAt)
}
console.log(Math.round(longest))
process.exit()
`

const RECIPES: [string, () => string][] = [
  [
    "docs/credentials.md",
    () => {
      const recipe = blocksOf(read("docs/credentials.md")).find(({ code }) => code.includes("scrypt as")) ?? {
        code: "",
      }
      return `const users = { find: async () => undefined }\n${recipe.code}`
    },
  ],
  ["examples/express-ejs/people.js", () => read("examples/express-ejs/people.js")],
  ["examples/migrations/people.js", () => read("examples/migrations/people.js")],
]

it.each(RECIPES)(
  "SEC-04: the password sample of %s does not block file reads while it checks 60 passwords",
  async (_file, source) => {
    const args = ["--input-type=module", "--eval", source() + MEASURE]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
    expect(Number(stdout)).toBeLessThan(1_000)
  },
  90_000,
)
