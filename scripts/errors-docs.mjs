/** Generates the pages of `docs/errors/` from the table in `lib/errors/codes/`. */

/** The anchor that GitHub creates for a heading. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replace(/ /g, "-")

const MADE = "<!-- This folder is generated from lib/errors/codes by npm run docs:errors. -->"

/** A Markdown link, labelled with the heading that it leads to. `readPage` returns a page of `docs/`. */
function linkTo(docs, readPage) {
  const [page, anchor] = docs.split("#")
  const headings = [...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading)
  const heading = anchor === undefined ? headings[0] : headings.find((text) => anchorOf(text) === anchor)
  if (!heading) throw new Error(`docs/${docs} leads to no heading`)
  return `[${heading}](../${docs})`
}

function page(code, { title, cause, remedy, docs }, { types, readPage }) {
  const named = types.map((type) => `\`${type}\``).join(" and ")
  return `# ${title}

\`${code}\`${named && `, the default code of ${named}`}

${cause}

${remedy}

See ${linkTo(docs, readPage)}.
`
}

const list = ([subject, rows]) =>
  `## ${subject}

${Object.entries(rows)
  .map(([code, { title }]) => `- [\`${code}\`](${code}.md): ${title}`)
  .join("\n")}
`

/** The files by name. `codesOfTypes` maps each type of error to its code. */
export function pagesOf({ subjects, codesOfTypes, readPage }) {
  const typesOf = (code) => Object.keys(codesOfTypes).filter((type) => codesOfTypes[type] === code)
  const rows = Object.values(subjects).flatMap((rows) => Object.entries(rows))
  const index = `${MADE}

# Codes

Every error and every configuration problem has a stable code, which [the log](../errors.md#the-log) shows. To read its page in a terminal:

\`\`\`sh
npx latchkey explain redirect-uri-mismatch
\`\`\`

${Object.entries(subjects).map(list).join("\n")}`
  return new Map([
    ["README.md", index],
    ...rows.map(([code, row]) => [`${code}.md`, page(code, row, { types: typesOf(code), readPage })]),
  ])
}
