import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { TemplateFunction } from "ejs"
import { compileView } from "./compile.js"

/** Where our own views are: beside `lib/` in the sources, beside `dist/` in the package. */
function ownFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  const candidates = [join(here, "../views"), join(here, "../../views")]
  const found = candidates.find((folder) => existsSync(join(folder, "layout.ejs")))
  if (found === undefined)
    throw new Error(`latchkey's views are missing; they were looked for in ${candidates.join(" and ")}`)
  return found
}

/** Is there a folder of that path? */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** What is wrong with the option `views`, or undefined: for the check of a configuration. */
export function viewsProblem(views: string | undefined): string | undefined {
  if (!views || isFolder(resolve(views))) return undefined
  return `there is no folder ${resolve(views)}; name one that holds EJS templates, or leave it out`
}

/** Finds a file of a view, the application's before ours; undefined when neither has it. */
export type FindView = (file: string) => string | undefined

/** The folders of views: the application's, if it has one, and then ours. */
export const foldersOf = (views: string | undefined): string[] =>
  views ? [resolve(views), ownFolder()] : [ownFolder()]

/** Looks for views in the application's folder, if it has one, and then in ours. */
export function createFinder(views: string | undefined): FindView {
  const folders = foldersOf(views)
  return (file) => folders.map((folder) => join(folder, file)).find((path) => existsSync(path))
}

/** Words with one slash or one dot between them: a name without two dots in a row can't leave the folders. */
const VIEW_NAME = /^[\w-]+(?:[/.][\w-]+)*$/

/** Gives the text that a view includes as it is, by its name; undefined when it is the name of a view. */
export type FindText = (name: string) => string | undefined

/** Reads a file of the views folders as text. */
export const readText = (path: string): string => readFileSync(path, "utf8").replace(/^\uFEFF/, "")

/** The SVGs in the views folders, each looked for and read once, whether it is there or not. */
export function createDrawings(find: FindView): FindText {
  const known = new Map<string, string | undefined>()
  return function drawing(name) {
    if (known.has(name)) return known.get(name)
    const path = VIEW_NAME.test(name) && name.endsWith(".svg") ? find(name) : undefined
    const text = path && readText(path)
    known.set(name, text)
    return text
  }
}

/**
 * Renders views by name, each compiled once and kept here.
 *
 * A view includes another as `include("methods/oauth", { more: "props" })`: named by its path in the views folder, it
 * gets the props of its parent and those besides. What `findText` knows is included as it is.
 */
export function createTemplates(find: FindView, findText: FindText = () => undefined) {
  const compiled = new Map<string, TemplateFunction>()
  const templateOf = (name: string): TemplateFunction => {
    const known = compiled.get(name)
    if (known) return known
    const path = VIEW_NAME.test(name) ? find(`${name}.ejs`) : undefined
    if (path === undefined) throw new Error(`there is no view ${JSON.stringify(name)} in the views folders`)
    const template = compileView(path)
    compiled.set(name, template)
    return template
  }
  return function render(name: string, props: object): string {
    const include = (child: string, more?: object): string =>
      findText(child) ?? render(child.replace(/\.ejs$/, ""), { ...props, ...more })
    return templateOf(name)({ ...props, include })
  }
}
