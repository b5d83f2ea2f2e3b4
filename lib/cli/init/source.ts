/**
 * Source text in each language: the same lines with different imports and annotations.
 *
 * @module
 */
import type { Language } from "./choices.js"
import type { Project } from "./project.js"

export interface Import {
  readonly from: string
  /** The name of the default import. */
  readonly defaultName?: string
  readonly names?: readonly string[]
  /** Imported types; only for TypeScript. */
  readonly types?: readonly string[]
}

export interface Dialect {
  readonly language: Language
  /** True if top-level `await` is available. */
  readonly canAwait: boolean
  /** The file extension: `.js`, `.mjs`, `.cjs` or `.ts`. */
  readonly extension: string
}

const namedImports = (words: readonly string[]): string => `{ ${words.join(", ")} }`

function requireLines({ from, defaultName, names = [] }: Import): string[] {
  const binding = defaultName ?? (names.length > 0 ? namedImports(names) : undefined)
  return binding ? [`const ${binding} = require("${from}")`] : []
}

function importLine({ from, defaultName, names = [], types = [] }: Import, isTyped: boolean): string[] {
  const words = [...names, ...(isTyped ? types.map((type) => (names.length > 0 ? `type ${type}` : type)) : [])]
  if (!defaultName && words.length === 0) return []
  const binding = [...(defaultName ? [defaultName] : []), ...(words.length > 0 ? [namedImports(words)] : [])].join(", ")
  return [`import ${names.length === 0 && !defaultName ? "type " : ""}${binding} from "${from}"`]
}

/** The import lines of a file. */
export const importLines = (imports: readonly Import[], { language }: Dialect): string[] =>
  imports.flatMap((entry) =>
    language === "commonjs" ? requireLines(entry) : importLine(entry, language === "typescript"),
  )

/** The declaration of an exported value. */
export const exported = (name: string, { language }: Dialect): string =>
  language === "commonjs" ? `const ${name}` : `export const ${name}`

/** Returns the text in TypeScript, and an empty string in other languages. */
export const typed = (text: string, { language }: Dialect): string => (language === "typescript" ? text : "")

function importExtension(language: Language, isModule: boolean): string {
  if (language === "typescript") return ".ts"
  return (language === "esm") === isModule ? ".js" : language === "esm" ? ".mjs" : ".cjs"
}

/** The dialect of the project's files. */
export function sourceDialect(language: Language, { isModule }: Pick<Project, "isModule">): Dialect {
  const canAwait = language === "esm" || (language === "typescript" && isModule)
  return { language, canAwait, extension: importExtension(language, isModule) }
}

/** The import path of a neighbouring file. In TypeScript it is the name of the compiled file. */
export const siblingImport = (name: string, { extension }: Dialect): string =>
  `./${name}${extension.replace("ts", "js")}`
