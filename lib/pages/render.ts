import type { Theme } from "../types.js"
import { createHeaders } from "./headers.js"
import type { FrameProps, LayoutProps, PageName, PageProps, ProviderProps } from "./props.js"
import { createDrawings, createFinder, createTemplates, type FindText, type FindView, readText } from "./templates.js"
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
  /** The name of a provider's icon, for `include`; undefined where there is none. */
  iconOf(providerId: string): string | undefined
}

const STYLES = "styles.css"

/** A string that is not closed ends with its line. */
const STRING_COMMENT_OR_BREAK = /(["'])(?:\\[\s\S]|(?!\1)[^\\\n])*(?:\1|\n|$)|\/\*[\s\S]*?\*\/|\s*\n\s*/g

/** Comments and indentation are for people who read the file; here they would come with every page. */
const shorten = (css: string): string =>
  css.replace(STRING_COMMENT_OR_BREAK, (found, quote: string | undefined, at: number) => {
    if (quote) return found
    // An empty comment still keeps apart what the other one did.
    if (found.startsWith("/*")) return "/**/"
    return "{};,".includes(css.charAt(at - 1)) ? "" : "\n"
  })

/** The text of the pages' one style element: the style sheet, then the theme's colours. */
function readStyles(find: FindView, theme: Readonly<Theme>): string {
  const path = find(STYLES)
  // An HTML parser turns CR and NUL into other characters; the hash is taken of what it makes.
  const css = path ? shorten(readText(path).replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD")) : ""
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
  const drawing = createDrawings(find)
  const findText: FindText = (name) => (name === STYLES ? styles : drawing(name))
  return { headersFor: createHeaders(styles, formTargets), renderView: createTemplates(find, findText), drawing }
}

/**
 * The built-in pages with the application's theme and views. Files are read and compiled on first use and kept.
 *
 * @example
 * const { html, headers } = createPages({ views: "./views/auth" }).render("error", props)
 */
export function createPages(config: PagesConfig): Pages {
  let loaded: ReturnType<typeof load> | undefined
  const ready = () => {
    loaded ??= load(config)
    return loaded
  }
  return {
    render(name, props) {
      const { renderView, headersFor } = ready()
      const layout: LayoutProps = { ...props, view: name }
      return { html: renderView("layout", layout), headers: headersFor(imagesOf(props)) }
    },
    iconOf(providerId) {
      const name = `icons/${providerId}.svg`
      return ready().drawing(name) === undefined ? undefined : name
    },
  }
}
