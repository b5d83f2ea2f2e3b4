/**
 * Writes what follows from the pages of `docs/errors`, one for each code: the titles in the list of its README, and the
 * type of the codes. With `--check` it writes nothing, and fails if one of them differs.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"

const LIST = "docs/errors/README.md"
const TYPE = "lib/errors/message-code.ts"
const ROW = /^- \[`([a-z-]+)`\].*$/gm
const MAX_LINE = 120

const list = readFileSync(LIST, "utf8")
const listed = [...list.matchAll(ROW)].map(([, code]) => code)
const pages = readdirSync("docs/errors").flatMap((file) => (file === "README.md" ? [] : [file.replace(/\.md$/, "")]))
const once = (code) => listed.indexOf(code) === listed.lastIndexOf(code)
const wrong = [
  ...pages.filter((code) => !listed.includes(code)),
  ...listed.filter((code) => !pages.includes(code) || !once(code)),
]
if (wrong.length > 0) throw new Error(`${LIST} must list each page of docs/errors once: ${wrong}`)

const titleOf = (code) => /^# (.+)\n/.exec(readFileSync(`docs/errors/${code}.md`, "utf8"))?.[1]

/** The members of the union, in lines as long as they may be. */
const lines = [[]]
for (const code of pages.sort()) {
  if ([...lines.at(-1), code].join('" | "').length > MAX_LINE - 6) lines.push([])
  lines.at(-1).push(code)
}

const expected = {
  [LIST]: list.replace(ROW, (_, code) => `- [\`${code}\`](${code}.md): ${titleOf(code)}`),
  [TYPE]: `// Generated from the pages of docs/errors by npm run docs:errors.
/** The stable name of one problem: \`redirect-uri-mismatch\`. */
// biome-ignore format: one code on each line would be a long file
export type MessageCode =
${lines.map((line) => `  ${line.map((code) => `| "${code}"`).join(" ")}`).join("\n")}
`,
}

const isCheck = process.argv.includes("--check")
for (const [file, text] of Object.entries(expected)) {
  if (!isCheck) writeFileSync(file, text)
  else if (readFileSync(file, "utf8") !== text) throw new Error(`${file} is outdated: run npm run docs:errors`)
}
