/**
 * Tables and ratios, for a terminal or for docs/performance.md.
 *
 * @module
 */
const cellsOf = (rows) => {
  const names = Object.keys(rows[0])
  return [names, ...rows.map((row) => names.map((name) => String(row[name])))]
}

const isNumber = (text) => /^-?[\d.]/.test(text)

/** Formats columns; cells that start with a number are right-aligned. */
function textTable(rows) {
  const lines = cellsOf(rows)
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const isRight = lines[0].map((_, column) => isNumber(lines.at(-1)[column]))
  const pad = (cell, column) => (isRight[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))
  return lines.map((line) => `  ${line.map(pad).join("  ")}`.trimEnd()).join("\n")
}

function markdownTable(rows) {
  const [names, ...lines] = cellsOf(rows)
  const rule = names.map((_, column) => (isNumber(lines.at(-1)[column]) ? "--:" : "---"))
  return [names, rule, ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n")
}

const boundOf = ({ most, least }) => {
  if (most !== undefined) return `at most ${Number(most.toPrecision(3))}`
  return least === undefined ? "" : `at least ${Number(least.toPrecision(3))}`
}

/** Whether a ratio is within its bounds. */
export const isMet = ({ value, most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY }) =>
  value <= most && value >= least

const ratioRow = (ratio) => ({
  ratio: ratio.name,
  value: ratio.value.toPrecision(3),
  target: boundOf(ratio),
  "": boundOf(ratio) === "" ? "" : isMet(ratio) ? "met" : "MISSED",
})

/** One section: its title, its rows, its ratios. */
export function render({ title, rows, ratios }, { isMarkdown }) {
  const table = isMarkdown ? markdownTable : textTable
  const parts = [`${isMarkdown ? "### " : ""}${title}`]
  if (rows.length > 0) parts.push(table(rows))
  if (ratios.length > 0) parts.push(table(ratios.map(ratioRow)))
  return `\n${parts.join("\n\n")}`
}
