/**
 * How a file is written in each of the languages: the same lines, with imports and annotations as that one has them.
 *
 * @module
 */
import type { Language } from "./choices.js"
import type { Project } from "./project.js"

export interface Import {
  readonly from: string
  readonly whole?: string
  readonly names?: readonly string[]
  /** Types are in TypeScript alone. */
  readonly types?: readonly string[]
}

export interface Dialect {
  readonly language: Language
  /** Whether `await` may stand outside of functions. */
  readonly canAwait: boolean
  /** The ending of the files: `.js`, `.mjs`, `.cjs`, `.ts`. */
  readonly extension: string
}

const plural = (words: readonly string[]): string => `{ ${words.join(", ")} }`

function required({ from, whole, names = [] }: Import): string[] {
  const bound = whole ?? (names.length > 0 ? plural(names) : undefined)
  return bound ? [`const ${bound} = require("${from}")`] : []
}

function imported({ from, whole, names = [], types = [] }: Import, isTyped: boolean): string[] {
  const words = [...names, ...(isTyped ? types.map((type) => (names.length > 0 ? `type ${type}` : type)) : [])]
  if (!whole && words.length === 0) return []
  const bound = [...(whole ? [whole] : []), ...(words.length > 0 ? [plural(words)] : [])].join(", ")
  return [`import ${names.length === 0 && !whole ? "type " : ""}${bound} from "${from}"`]
}

/** The lines at the top of a file. */
export const importLines = (imports: readonly Import[], { language }: Dialect): string[] =>
  imports.flatMap((one) => (language === "commonjs" ? required(one) : imported(one, language === "typescript")))

/** The line that makes a value known to other files. */
export const exported = (name: string, { language }: Dialect): string =>
  language === "commonjs" ? `const ${name}` : `export const ${name}`

/** `text` in TypeScript, nothing elsewhere. */
export const typed = (text: string, { language }: Dialect): string => (language === "typescript" ? text : "")

function extensionOf(language: Language, isModule: boolean): string {
  if (language === "typescript") return ".ts"
  return (language === "esm") === isModule ? ".js" : language === "esm" ? ".mjs" : ".cjs"
}

/** How files of the project are written. */
export function dialectOf(language: Language, { isModule }: Pick<Project, "isModule">): Dialect {
  const canAwait = language === "esm" || (language === "typescript" && isModule)
  return { language, canAwait, extension: extensionOf(language, isModule) }
}

/** What imports name for a file beside: TypeScript's are those that its compiler will have written. */
export const besideOf = (name: string, { extension }: Dialect): string => `./${name}${extension.replace("ts", "js")}`
