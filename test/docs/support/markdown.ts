import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

const ROOT = join(__dirname, "../../..")

export const read = (file: string) => readFileSync(join(ROOT, file), "utf8")

/** Folders with third-party, built or untracked files. */
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

/** The fenced code blocks of a page, including those in lists. */
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

/** The page without its code, which may contain text that looks like links. */
const proseOf = (text: string) => withoutBlocks(text).replace(/`[^`\n]*`/g, "`code`")

/** The anchors that GitHub creates for headings, and explicit ones. */
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

/** The links and images within this repository. */
export const linksOf = (text: string): string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(({ 1: link, 2: attribute }) => link ?? attribute ?? "")
    .filter((target) => !/^[a-z]+:/i.test(target))

/** The path of a link's target, relative to the root; the page itself for an anchor. */
export const targetOf = (link: string, from: string): string => {
  const [path = ""] = link.split("#")
  return path === "" ? from : relative(ROOT, resolve(ROOT, dirname(from), decodeURI(path)))
}

/** The problem with a link, or undefined. */
export function linkProblem(link: string, from: string): string | undefined {
  const target = targetOf(link, from)
  const anchor = link.split("#")[1]
  if (target.startsWith("..")) return `${link} points outside the repository`
  if (!existsSync(join(ROOT, target))) return `${link} points to a missing file`
  if (anchor === undefined) return undefined
  if (statSync(join(ROOT, target)).isDirectory() || !target.endsWith(".md"))
    return `${link} has an anchor, but its target is not a page`
  return anchorsOf(read(target)).has(anchor) ? undefined : `${link} points to a missing heading`
}
