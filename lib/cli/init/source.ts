/**
 * Converts source text to the language of the project. The source text is written as an ES module in TypeScript.
 *
 * @module
 */
import type { Language } from "./choices.js"
import type { Project } from "./project.js"

/** The language of the written files, with the properties that depend on the project. */
export interface Dialect {
  readonly language: Language
  /** True if top-level `await` is available. */
  readonly canAwait: boolean
  /** The file extension: `.js`, `.mjs`, `.cjs` or `.ts`. */
  readonly extension: string
}

/** Converts imports and exports: type imports remain only in TypeScript, and `require` replaces imports in CommonJS. */
export function convertSource(text: string, { language }: Dialect): string {
  if (language === "typescript") return text
  const untyped = text.replace(/^import type .*\n/gm, "")
  if (language === "esm") return untyped
  return untyped.replace(/^import (.+) from (".+")$/gm, "const $1 = require($2)").replace(/^export const/gm, "const")
}

/** Returns the text in TypeScript, and an empty string in other languages. */
export const ifTypeScript = (text: string, { language }: Dialect): string => (language === "typescript" ? text : "")

/** Returns the dialect for the files of a project. */
export function sourceDialect(language: Language, { isModule }: Pick<Project, "isModule">): Dialect {
  const canAwait = language === "esm" || (language === "typescript" && isModule)
  const explicitExtension = language === "esm" ? ".mjs" : ".cjs"
  const extension = language === "typescript" ? ".ts" : (language === "esm") === isModule ? ".js" : explicitExtension
  return { language, canAwait, extension }
}

/**
 * Returns the import path of a file in the same folder. In TypeScript, the path has the extension of the compiled file.
 */
export const siblingImport = (name: string, { extension }: Dialect): string =>
  `./${name}${extension.replace("ts", "js")}`
