/**
 * Measures the cost of `latchkey` compared with bare Express and other packages. Each variant runs in its own process.
 * They take turns in short slices, so that a drift of the machine affects all of them equally.
 *
 *   npm run bench                        everything, about half an hour
 *   npm run bench -- --quick             everything except other packages, in two minutes
 *   npm run bench -- me public           only these sections
 *   npm run bench -- --check             for CI: exits with 1 if a ratio is far from its target
 *   npm run bench -- --markdown          the tables in the format of docs/performance.md
 *
 * @module
 */
import { readdirSync } from "node:fs"
import { parseArgs } from "node:util"
import { check } from "./lib/check.mjs"
import { conditions } from "./lib/conditions.mjs"
import { pinLoad } from "./lib/cores.mjs"
import { requireInstalled } from "./lib/installed.mjs"
import { render } from "./lib/report.mjs"

/** Other sections follow, sorted by name. */
const ORDER = ["me", "never-seen", "public", "anonymous", "database", "growth"]
const FOLDER = new URL("./sections/", import.meta.url)

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean" }, check: { type: "boolean" }, markdown: { type: "boolean" } },
})

function chosenNames() {
  const files = readdirSync(FOLDER).map((file) => file.replace(/\.mjs$/, ""))
  const ordered = [...ORDER.filter((name) => files.includes(name)), ...files.filter((name) => !ORDER.includes(name))]
  const unknown = positionals.filter((name) => !files.includes(name))
  if (unknown.length > 0) throw new Error(`no section ${unknown.join(", ")}; there are ${ordered.join(", ")}`)
  return positionals.length > 0 ? positionals : ordered
}

async function report(sections) {
  for (const { title, run } of sections) {
    const { rows, ratios } = await run({ isQuick: options.quick ?? false, isCheck: false })
    console.log(render({ title, rows, ratios }, { isMarkdown: options.markdown ?? false }))
  }
}

requireInstalled({ withPeers: !options.check })
pinLoad()
const names = chosenNames()
const sections = await Promise.all(names.map((name) => import(new URL(`${name}.mjs`, FOLDER))))
console.log(conditions())
if (options.check) process.exitCode = (await check(sections)) ? 0 : 1
else await report(sections)
