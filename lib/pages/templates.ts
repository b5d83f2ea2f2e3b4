import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { TemplateFunction } from "ejs"
import { compileView } from "./compile.js"

/**
 * Returns the folder of the built-in views. It is next to `lib/` in the sources, and next to `dist/` in the package.
 */
export function builtInFolder(): string {
  const moduleFolder = dirname(fileURLToPath(import.meta.url))
  const candidates = [join(moduleFolder, "../views"), join(moduleFolder, "../../views")]
  const found = candidates.find((folder) => existsSync(join(folder, "layout.ejs")))
  if (found === undefined)
    throw new Error(
      `latchkey's views are missing. They were expected in ${candidates.join(" or ")}. Reinstall the package, or copy its folder views there`,
    )
  return found
}

/** True if a folder exists at this path. */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Returns the problem of the option `views`, for an error message; undefined if the option is valid. */
export function viewsProblem(views: string | undefined): string | undefined {
  if (!views || isFolder(resolve(views))) return undefined
  return `is the folder ${resolve(views)}, which does not exist`
}

/**
 * Returns the path of a view's file in the application's folder, or else in the built-in folder; undefined if neither
 * folder contains the file.
 */
export type FindView = (file: string) => string | undefined

/** Returns the view folders: the application's folder, if the option `views` is set, then the built-in folder. */
export const listFolders = (views: string | undefined): string[] =>
  views ? [resolve(views), builtInFolder()] : [builtInFolder()]

/** Creates the function that finds the files of views. */
export function createViewResolver(views: string | undefined): FindView {
  const folders = listFolders(views)
  return (file) => folders.map((folder) => join(folder, file)).find((path) => existsSync(path))
}

/** Matches words with a slash or a dot between them. ".." does not match, so no name can refer to a parent folder. */
const VIEW_NAME = /^[\w-]+(?:[/.][\w-]+)*$/

/** Returns the content of an SVG file in the view folders; undefined if the name is not that of an SVG file. */
export type LoadIcon = (name: string) => string | undefined

/** Reads a file as text, without a byte order mark. */
export const readText = (path: string): string => readFileSync(path, "utf8").replace(/^\uFEFF/, "")

/** Creates the function that loads SVG files. Its results are cached, also for a missing file. */
export function createIconLoader(find: FindView): LoadIcon {
  const cache = new Map<string, string | undefined>()
  return function loadIcon(name) {
    if (cache.has(name)) return cache.get(name)
    const path = VIEW_NAME.test(name) && name.endsWith(".svg") ? find(name) : undefined
    const text = path && readText(path)
    cache.set(name, text)
    return text
  }
}

/**
 * Creates a function that renders a view by its name. Each view is compiled once and then cached.
 *
 * A view includes another view with `include("methods/oauth", { more: "props" })`. The name is the path in the view
 * folder, without ".ejs". The included view receives the props of the including view, and the additional props. If
 * `loadIcon` returns an icon for the name, the icon is inserted unchanged.
 */
export function createTemplates(find: FindView, loadIcon: LoadIcon = () => undefined) {
  const cache = new Map<string, TemplateFunction>()
  const getTemplate = (name: string): TemplateFunction => {
    const cached = cache.get(name)
    if (cached) return cached
    const path = VIEW_NAME.test(name) ? find(`${name}.ejs`) : undefined
    if (path === undefined) throw new Error(`the view ${JSON.stringify(name)} does not exist in the view folders`)
    const template = compileView(path)
    cache.set(name, template)
    return template
  }
  /** Adds the function `include` to `props`, so the caller must pass a new object. */
  function renderWith(name: string, props: object): string {
    const include = (child: string, more?: object): string =>
      loadIcon(child) ?? renderWith(child.replace(/\.ejs$/, ""), { ...props, ...more })
    return getTemplate(name)(Object.assign(props, { include }))
  }
  return (name: string, props: object): string => renderWith(name, { ...props })
}
