import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { TemplateFunction } from "ejs"
import { compileView } from "./compile.js"

/** The folder of the built-in views: next to `lib/` in the sources, next to `dist/` in the package. */
export function builtInFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  const candidates = [join(here, "../views"), join(here, "../../views")]
  const found = candidates.find((folder) => existsSync(join(folder, "layout.ejs")))
  if (found === undefined) throw new Error(`latchkey's views were not found in ${candidates.join(" or ")}`)
  return found
}

/** True if a folder exists at this path. */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Returns the problem with the option `views`, or undefined. */
export function viewsProblem(views: string | undefined): string | undefined {
  if (!views || isFolder(resolve(views))) return undefined
  return `is the folder ${resolve(views)}, which does not exist`
}

/** Finds a view's file, first in the application's folder, then in the built-in one; undefined if neither has it. */
export type FindView = (file: string) => string | undefined

/** The view folders: the application's, if set, then the built-in one. */
export const listFolders = (views: string | undefined): string[] =>
  views ? [resolve(views), builtInFolder()] : [builtInFolder()]

/** Looks for views in the application's folder, if set, then in the built-in one. */
export function createViewResolver(views: string | undefined): FindView {
  const folders = listFolders(views)
  return (file) => folders.map((folder) => join(folder, file)).find((path) => existsSync(path))
}

/** Words separated by one slash or one dot. Without ".." a name cannot leave the folders. */
const VIEW_NAME = /^[\w-]+(?:[/.][\w-]+)*$/

/** Returns the raw text to include for a name; undefined if it is the name of a view. */
export type FindText = (name: string) => string | undefined

/** Reads a file of the view folders as text. */
export const readText = (path: string): string => readFileSync(path, "utf8").replace(/^\uFEFF/, "")

/** Creates a function that reads SVG files of the view folders. Results are cached, including missing files. */
export function createIconLoader(find: FindView): FindText {
  const cached = new Map<string, string | undefined>()
  return function loadIcon(name) {
    if (cached.has(name)) return cached.get(name)
    const path = VIEW_NAME.test(name) && name.endsWith(".svg") ? find(name) : undefined
    const text = path && readText(path)
    cached.set(name, text)
    return text
  }
}

/**
 * Renders views by name; each is compiled once and cached.
 *
 * A view includes another with `include("methods/oauth", { more: "props" })`. The included view is named by its path in
 * the view folder and receives the parent's props and the given ones. A text known to `findText` is included unchanged.
 */
export function createTemplates(find: FindView, findText: FindText = () => undefined) {
  const compiled = new Map<string, TemplateFunction>()
  const getTemplate = (name: string): TemplateFunction => {
    const cached = compiled.get(name)
    if (cached) return cached
    const path = VIEW_NAME.test(name) ? find(`${name}.ejs`) : undefined
    if (path === undefined) throw new Error(`the view ${JSON.stringify(name)} does not exist in the view folders`)
    const template = compileView(path)
    compiled.set(name, template)
    return template
  }
  /** `props` are not shared, so that the function can be added to them. */
  function renderWith(name: string, props: object): string {
    const include = (child: string, more?: object): string =>
      findText(child) ?? renderWith(child.replace(/\.ejs$/, ""), { ...props, ...more })
    return getTemplate(name)(Object.assign(props, { include }))
  }
  return (name: string, props: object): string => renderWith(name, { ...props })
}
