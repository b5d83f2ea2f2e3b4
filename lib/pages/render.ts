import { readFileSync } from "node:fs"
import type { Theme } from "../types.js"
import { createHeaders } from "./headers.js"
import type { FrameProps, LayoutProps, PageName, PageProps, ProviderProps } from "./props.js"
import { createFinder, createTemplates, type FindView } from "./templates.js"
import { themeRules } from "./theme.js"

export interface PagesConfig {
  /** Colours for buttons. */
  readonly theme?: Readonly<Theme> | undefined
  /** A folder whose files replace the built-in views file by file; relative to the working directory. */
  readonly views?: string | undefined
  /** Further CSP sources that a posted form may lead to: origins of providers on plain http. */
  readonly formTargets?: readonly string[] | undefined
}

/** A page as text, and the headers it needs. */
export interface RenderedPage {
  readonly html: string
  readonly headers: Record<string, string>
}

/** The built-in pages of one configuration. */
export interface Pages {
  /**
   * Writes a page.
   *
   * @throws an Error that names file and line, when a view of the application fails
   */
  render<N extends PageName>(name: N, props: PageProps[N]): RenderedPage
}

const STYLES = "styles.css"

/** The text of the pages' one style element: the style sheet, then the theme's colours. */
function readStyles(find: FindView, theme: Readonly<Theme>): string {
  const path = find(STYLES)
  // An HTML parser turns CR and NUL into other characters; the hash is taken of what it makes.
  const css = path
    ? readFileSync(path, "utf8")
        .replace(/^\uFEFF/, "")
        .replace(/\r\n?/g, "\n")
        .replaceAll("\0", "\uFFFD")
    : ""
  if (/<\/style/i.test(css)) throw new Error(`${path} holds "</style", which would end the style element it is put in`)
  return css + themeRules(theme)
}

/** The images that a page shows. */
function imagesOf({ logo, providers = [] }: FrameProps & { providers?: readonly ProviderProps[] }): string[] {
  return [logo, ...providers.map((provider) => provider.logo)].filter((address) => address !== undefined)
}

function load({ theme = {}, views, formTargets = [] }: PagesConfig) {
  const find = createFinder(views)
  const styles = readStyles(find, theme)
  return { headersFor: createHeaders(styles, formTargets), renderView: createTemplates(find, { [STYLES]: styles }) }
}

/**
 * The built-in pages with the application's theme and views. Files are read and compiled on first use and kept.
 *
 * @example
 * const { html, headers } = createPages({ views: "./views/auth" }).render("error", props)
 */
export function createPages(config: PagesConfig): Pages {
  let loaded: ReturnType<typeof load> | undefined
  return {
    render(name, props) {
      loaded ??= load(config)
      const layout: LayoutProps = { ...props, view: name }
      return { html: loaded.renderView("layout", layout), headers: loaded.headersFor(imagesOf(props)) }
    },
  }
}
