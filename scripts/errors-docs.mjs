/** The pages of `docs/errors/`, as the table in `lib/codes/` has them. */

/** The anchor that GitHub makes of a heading. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replace(/ /g, "-")

const MADE = "<!-- Made of lib/codes by npm run docs:errors. -->"

/** The words for a link: the heading that it leads to. `readPage` gives a page of `docs/`. */
function linkTo(see, readPage) {
  const [page, anchor] = see.split("#")
  const headings = [...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading)
  const heading = anchor === undefined ? headings[0] : headings.find((text) => anchorOf(text) === anchor)
  if (!heading) throw new Error(`docs/${see} leads to no heading`)
  return `[${heading}](../${see})`
}

function page(code, { title, cause, remedy, see }, { types, readPage }) {
  const named = types.map((type) => `\`${type}\``).join(" and ")
  return `${MADE}

# ${title}

Code \`${code}\`${named && `, what ${named} says where nothing finer is known`}.

${cause}

## What to do

${remedy}

## More

${linkTo(see, readPage)} says more of it, and [here](README.md) are all codes.
`
}

const list = ([subject, rows]) =>
  `## ${subject}

| Code | What is the matter |
|---|---|
${Object.entries(rows)
  .map(([code, { title }]) => `| [\`${code}\`](${code}.md) | ${title} |`)
  .join("\n")}
`

/** The files by their names. `codesOfTypes` has the code of each type of error. */
export function pagesOf({ subjects, codesOfTypes, readPage }) {
  const typesOf = (code) => Object.keys(codesOfTypes).filter((type) => codesOfTypes[type] === code)
  const rows = Object.values(subjects).flatMap((rows) => Object.entries(rows))
  const index = `${MADE}

# Codes

Every error and every problem of a configuration has a code, which [the log](../errors.md#the-log) shows and which does not change. In a terminal,

\`\`\`sh
npx latchkey explain redirect-uri-mismatch
\`\`\`

says what its page here says.

${Object.entries(subjects).map(list).join("\n")}`
  return new Map([
    ["README.md", index],
    ...rows.map(([code, row]) => [`${code}.md`, page(code, row, { types: typesOf(code), readPage })]),
  ])
}
