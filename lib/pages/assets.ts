/**
 * The static files that pages load: style sheets, the script and the icon. Each file name contains the hash of the
 * file's content.
 *
 * @module
 */

import { createHash } from "node:crypto"
import type { Theme } from "../base/types.js"
import type { AssetProps } from "./props.js"
import { type FindView, readText } from "./templates.js"
import { themeRules } from "./theme.js"

/** The response to a request for a static file. */
export interface Asset {
  readonly body: string
  /** The `Content-Type`. */
  readonly type: string
}

/** The static files of one configuration. */
export interface Assets {
  /** Returns the file with this name; undefined if there is none. */
  find(name: string): Asset | undefined
  /** Returns the paths and hashes of the files, below a base path. */
  linksFor(basePath: string): AssetLinks
}

/** The paths and hashes of the static files. */
export interface AssetLinks {
  readonly styles: AssetProps
  /** The style sheet for the explanation of a failure, which is shown only in development. */
  readonly developerStyles: AssetProps
  /** The favicon. */
  readonly icon: AssetProps
  /** The script for passkeys. Undefined if the package was built without it. */
  readonly passkeys: AssetProps | undefined
}

/** Matches a string, or a sequence of comments and white space. An unclosed string ends at the end of its line. */
const STRING_OR_SPACE = /(["'])(?:\\[\s\S]|(?!\1)[^\\\n])*(?:\1|\n|$)|(?:\/\*[\s\S]*?\*\/|\s)+/g

/** Removes comments and unnecessary white space from a style sheet. */
const minify = (css: string): string =>
  css.replace(STRING_OR_SPACE, (match, quote: string | undefined, at: number) => {
    if (quote) return match
    const [before, after] = [css.charAt(at - 1), css.charAt(at + match.length)]
    // A space before a colon is kept, because it can change the meaning of a selector. A space after a colon is
    // removed, except in `--empty: ;`, whose value is the space.
    if ("{};,".includes(before) || "{},".includes(after) || (before === ":" && after !== ";")) return ""
    // A match without white space becomes an empty comment, because a space could change the meaning.
    return /\s/.test(match.replace(/\/\*[\s\S]*?\*\//g, "")) ? " " : "/**/"
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
  // 22 characters are 132 bits of the hash, so collisions are infeasible.
  const hash = digest.toString("base64url").slice(0, 22)
  const integrity = `sha256-${digest.toString("base64")}`
  return { name: `${baseName}.${hash}.${extension}`, integrity, body, type: TYPES[extension] }
}

/** Reads the files. A file in the application's view folder takes precedence over the built-in file. */
export function createAssets(find: FindView, theme: Readonly<Theme>): Assets {
  // The theme's rules come last, so that they override those of the style sheet.
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
