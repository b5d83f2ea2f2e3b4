/**
 * The files that pages load from below the base path, each under a name that holds the hash of its text.
 *
 * @module
 */
import { createHash } from "node:crypto"
import type { Theme } from "../types.js"
import type { AssetProps } from "./props.js"
import { type FindView, readText } from "./templates.js"
import { themeRules } from "./theme.js"

/** A file as it is sent. */
export interface Asset {
  readonly body: string
  /** Its `Content-Type`. */
  readonly type: string
}

/** The files of one configuration. */
export interface Assets {
  /** The file of that name; undefined when there is none, or no longer. */
  find(name: string): Asset | undefined
  /** How a page at that base path names them. */
  at(basePath: string): AssetLinks
}

export interface AssetLinks {
  readonly styles: AssetProps
  /** What browsers show beside the page's title. */
  readonly icon: AssetProps
  /** undefined where the package was built without it. */
  readonly passkeys: AssetProps | undefined
}

/** A string that is not closed ends with its line. */
const STRING_OR_GAP = /(["'])(?:\\[\s\S]|(?!\1)[^\\\n])*(?:\1|\n|$)|(?:\/\*[\s\S]*?\*\/|\s)+/g

/** Comments and indentation are for people who read the file. */
const shorten = (css: string): string =>
  css.replace(STRING_OR_GAP, (found, quote: string | undefined, at: number) => {
    if (quote) return found
    const [before, after] = [css.charAt(at - 1), css.charAt(at + found.length)]
    // A gap before a colon may make another selector, one after it none; `--empty: ;` needs its own.
    if ("{};,".includes(before) || "{},".includes(after) || (before === ":" && after !== ";")) return ""
    // An empty comment still keeps apart what the other one did, where a space would mean something.
    return /\s/.test(found.replace(/\/\*[\s\S]*?\*\//g, "")) ? " " : "/**/"
  })

/** The style sheet, then the theme's colours. */
function readStyles(find: FindView, theme: Readonly<Theme>): string {
  const path = find("styles.css")
  return (path ? shorten(readText(path).replace(/\r\n?/g, "\n")) : "") + themeRules(theme)
}

interface NamedAsset extends Asset {
  readonly name: string
  readonly integrity: string
}

const TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", svg: "image/svg+xml" }

function named(stem: string, ending: keyof typeof TYPES, body: string): NamedAsset {
  const digest = createHash("sha256").update(body).digest()
  // 132 bits of it: nobody makes another text that has them too.
  const hash = digest.toString("base64url").slice(0, 22)
  const integrity = `sha256-${digest.toString("base64")}`
  return { name: `${stem}.${hash}.${ending}`, integrity, body, type: TYPES[ending] }
}

/** Reads the files, the application's before ours. */
export function createAssets(find: FindView, theme: Readonly<Theme>): Assets {
  const styles = named("styles", "css", readStyles(find, theme))
  const drawing = find("icon.svg")
  const icon = named("icon", "svg", drawing === undefined ? "" : readText(drawing))
  const script = find("passkeys.js")
  const passkeys = script === undefined ? undefined : named("passkeys", "js", readText(script))
  const byName = new Map([styles, icon, ...(passkeys ? [passkeys] : [])].map((asset) => [asset.name, asset]))
  const link = (basePath: string, { name, integrity }: NamedAsset): AssetProps => ({
    href: `${basePath}/assets/${name}`,
    integrity,
  })
  return {
    find: (name) => byName.get(name),
    at: (basePath) => ({
      styles: link(basePath, styles),
      icon: link(basePath, icon),
      passkeys: passkeys && link(basePath, passkeys),
    }),
  }
}
