/**
 * Reads the explanations of error codes from the folder `docs/errors`, which has a page for each code.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { isError } from "../logging/redact.js"
import type { MessageCode } from "./message-code.js"

/** The explanation of a code. Cause and fix are Markdown, except that a link is written as `text (address)`. */
export interface Explanation {
  readonly title: string
  readonly cause: string
  readonly fix: string
  /** Further reading: a page of `docs/`, with the anchor of a heading. */
  readonly docs: string
}

/** Returns the path of the folder `docs`. It is next to `lib/` in the sources, and next to `dist/` in the package. */
export function docsFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  const inPackage = join(here, "../docs")
  return existsSync(inPackage) ? inPackage : join(here, "../../docs")
}

/** Writes the address of each link after its text: on a terminal, Markdown links can't be opened. */
const spellLinks = (markdown: string): string =>
  markdown.replace(
    /\[([^[\]]+)\]\((\.\.\/)?([^)]+)\)/g,
    (_, text: string, up: string | undefined, target: string) => `${text} (${up ? "docs/" : ""}${target})`,
  )

/** Reads title, cause, fix and further reading from the page of a code. */
function parsePage(page: string): Explanation {
  const [head = "", body = ""] = page.split("\n\n## Fix\n\n")
  const [heading = "", , ...cause] = head.split("\n\n")
  const fix = body.split("\n\n")
  const [, docs = ""] = /\(\.\.\/([^)]+)\)/.exec(fix.pop() ?? "") ?? []
  const texts = { cause: spellLinks(cause.join("\n\n")), fix: spellLinks(fix.join("\n\n")) }
  return { title: heading.replace("# ", ""), ...texts, docs }
}

/** The explanation if a code has no page: the documentation is not installed, or the code is of another version. */
const NO_EXPLANATION: Explanation = {
  title: "There is no explanation of this code",
  cause: "The package is installed without its folder `docs`, or the code is of another version.",
  fix: "Install the package with its folder `docs`.",
  docs: "errors/README.md",
}

/** Reads the explanation of a code. `folder` is the path of `docs`. */
export function readExplanation(code: MessageCode, folder = docsFolder()): Explanation {
  try {
    return parsePage(readFileSync(join(folder, "errors", `${code}.md`), "utf8"))
  } catch (error) {
    if (isError(error) && Reflect.get(error, "code") === "ENOENT") return NO_EXPLANATION
    throw error
  }
}

/** Returns all codes, grouped by subject. The list in `docs/errors/README.md` defines the order. */
export function readSubjects(): { subject: string; codes: MessageCode[] }[] {
  const [, ...sections] = readFileSync(join(docsFolder(), "errors/README.md"), "utf8").split(/^## /m)
  return sections.map((section) => ({
    subject: section.slice(0, section.indexOf("\n")),
    // `npm run docs:errors` ensures that the list and the type contain the same codes.
    codes: [...section.matchAll(/^- \[`([a-z-]+)`\]/gm)].map(([, code]) => code as MessageCode),
  }))
}
