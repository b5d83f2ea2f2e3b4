/**
 * The static files of the pages below the base path. Each file name contains the hash of its content.
 *
 * @module
 */

import { createHash } from "node:crypto"
import type { Theme } from "../base/types.js"
import type { AssetProps } from "./props.js"
import { type FindView, readText } from "./templates.js"
import { themeRules } from "./theme.js"

/** A file to send. */
export interface Asset {
  readonly body: string
  /** Its `Content-Type`. */
  readonly type: string
}

/** The files of one configuration. */
export interface Assets {
  /** Returns the file with a name; undefined if it does not exist. */
  find(name: string): Asset | undefined
  /** Returns the URLs of the files for a base path. */
  linksFor(basePath: string): AssetLinks
}

export interface AssetLinks {
  readonly styles: AssetProps
  /** The style sheet of the error details for developers. */
  readonly developerStyles: AssetProps
  /** The favicon. */
  readonly icon: AssetProps
  /** Undefined if the package was built without it. */
  readonly passkeys: AssetProps | undefined
}

/** Matches strings, comments and white space. An unclosed string ends with its line. */
const STRING_OR_GAP = /(["'])(?:\\[\s\S]|(?!\1)[^\\\n])*(?:\1|\n|$)|(?:\/\*[\s\S]*?\*\/|\s)+/g

/** Removes comments and unnecessary white space. */
const minify = (css: string): string =>
  css.replace(STRING_OR_GAP, (found, quote: string | undefined, at: number) => {
    if (quote) return found
    const [before, after] = [css.charAt(at - 1), css.charAt(at + found.length)]
    // A space before a colon can change the selector; a space after it can be removed, except in `--empty: ;`.
    if ("{};,".includes(before) || "{},".includes(after) || (before === ":" && after !== ";")) return ""
    // An empty comment still separates tokens where a space would have a meaning.
    return /\s/.test(found.replace(/\/\*[\s\S]*?\*\//g, "")) ? " " : "/**/"
  })

function readStyles(find: FindView, name: string): string {
  const path = find(name)
  return path ? minify(readText(path).replace(/\r\n?/g, "\n")) : ""
}

interface NamedAsset extends Asset {
  readonly name: string
  readonly integrity: string
}

const TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", svg: "image/svg+xml" }

function toNamedAsset(baseName: string, extension: keyof typeof TYPES, body: string): NamedAsset {
  const digest = createHash("sha256").update(body).digest()
  // 132 bits of the hash, which makes collisions infeasible.
  const hash = digest.toString("base64url").slice(0, 22)
  const integrity = `sha256-${digest.toString("base64")}`
  return { name: `${baseName}.${hash}.${extension}`, integrity, body, type: TYPES[extension] }
}

/** Reads the files; the application's files take precedence over the built-in ones. */
export function createAssets(find: FindView, theme: Readonly<Theme>): Assets {
  // The theme's colours come last.
  const styles = toNamedAsset("styles", "css", readStyles(find, "styles.css") + themeRules(theme))
  const developer = toNamedAsset("developer", "css", readStyles(find, "developer.css"))
  const iconPath = find("icon.svg")
  const icon = toNamedAsset("icon", "svg", iconPath === undefined ? "" : readText(iconPath))
  const script = find("passkeys.js")
  const passkeys = script === undefined ? undefined : toNamedAsset("passkeys", "js", readText(script))
  const all = [styles, developer, icon, ...(passkeys ? [passkeys] : [])]
  const byName = new Map(all.map((asset) => [asset.name, asset]))
  const link = (basePath: string, { name, integrity }: NamedAsset): AssetProps => ({
    href: `${basePath}/assets/${name}`,
    integrity,
  })
  return {
    find: (name) => byName.get(name),
    linksFor: (basePath) => ({
      styles: link(basePath, styles),
      developerStyles: link(basePath, developer),
      icon: link(basePath, icon),
      passkeys: passkeys && link(basePath, passkeys),
    }),
  }
}
