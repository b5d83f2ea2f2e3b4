import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

const ROOT = join(__dirname, "../../..")

export const read = (file: string) => readFileSync(join(ROOT, file), "utf8")

/** What others wrote, what is built, and what is not in the repository. */
const SKIPPED = /^(node_modules|dist|coverage|tmp|\..*)$/

/** Every Markdown file of the repository, from its root. */
export function markdownFiles(folder = ""): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return SKIPPED.test(entry.name) ? [] : markdownFiles(path)
    return entry.name.endsWith(".md") ? [path] : []
  })
}

export interface Block {
  readonly language: string
  readonly code: string
  readonly line: number
}

/** The fenced blocks of a page, those that stand in a list too. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^([ \t]*)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(
    ({ index, 2: language = "", 3: code = "" }) => ({
      language,
      code,
      line: text.slice(0, index).split("\n").length,
    }),
  )
}

const withoutBlocks = (text: string) => text.replace(/^([ \t]*)```\w*\n[\s\S]*?^\1```$/gm, "")

/** The page without its code: what looks like a link in there is none. */
const proseOf = (text: string) => withoutBlocks(text).replace(/`[^`\n]*`/g, "`code`")

/** The anchors that GitHub makes of a page's headings, and those that it writes itself. */
function anchorsOf(text: string): Set<string> {
  const slugs = [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(({ 1: heading = "" }) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replace(/ /g, "-"),
  )
  const seen = new Map<string, number>()
  const numbered = slugs.map((slug) => {
    const earlier = seen.get(slug) ?? 0
    seen.set(slug, earlier + 1)
    return earlier === 0 ? slug : `${slug}-${earlier}`
  })
  return new Set([...numbered, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(({ 1: id = "" }) => id)])
}

/** Links and pictures of this repository; addresses elsewhere are not followed. */
export const linksOf = (text: string): string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(({ 1: link, 2: attribute }) => link ?? attribute ?? "")
    .filter((target) => !/^[a-z]+:/i.test(target))

/** The file that a link leads to, from the root; the page itself for an anchor alone. */
export const targetOf = (link: string, from: string): string => {
  const [path = ""] = link.split("#")
  return path === "" ? from : relative(ROOT, resolve(ROOT, dirname(from), decodeURI(path)))
}

/** What is wrong with a link, or undefined. */
export function faultOf(link: string, from: string): string | undefined {
  const target = targetOf(link, from)
  const anchor = link.split("#")[1]
  if (target.startsWith("..")) return `${link} leads out of the repository`
  if (!existsSync(join(ROOT, target))) return `${link} leads to no file`
  if (anchor === undefined) return undefined
  if (statSync(join(ROOT, target)).isDirectory() || !target.endsWith(".md")) return `${link} leads into no page`
  return anchorsOf(read(target)).has(anchor) ? undefined : `${link} leads to no heading`
}
