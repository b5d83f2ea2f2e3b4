import type { Theme } from "../types.js"
import { type Asset, type AssetLinks, createAssets } from "./assets.js"
import { createHeaders } from "./headers.js"
import type { FrameProps, LayoutProps, PageName, PageProps, ProviderProps } from "./props.js"
import { createDrawings, createFinder, createTemplates } from "./templates.js"

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
  /** The file that pages load under that name; undefined when there is none. */
  asset(name: string): Asset | undefined
  /** How a page at that base path names its files. */
  assetsAt(basePath: string): AssetLinks
}

/** The images that a page shows. */
function imagesOf({ logo, providers = [] }: FrameProps & { providers?: readonly ProviderProps[] }): string[] {
  return [logo, ...providers.map((provider) => provider.logo)].filter((address) => address !== undefined)
}

/** The same address shows another text to somebody who reads another language. */
const languageHeaders = ({ lang }: FrameProps) => ({ "Content-Language": lang, Vary: "Accept-Language" })

function load({ theme = {}, views, formTargets = [] }: PagesConfig) {
  const find = createFinder(views)
  const drawing = createDrawings(find)
  return {
    assets: createAssets(find, theme),
    headersFor: createHeaders(formTargets),
    renderView: createTemplates(find, drawing),
    drawing,
  }
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
      const { nonce, scripts } = props
      const headers = headersFor({ images: imagesOf(props), hasScripts: scripts.length > 0, nonce })
      return { html: renderView("layout", layout), headers: { ...headers, ...languageHeaders(props) } }
    },
    iconOf(providerId) {
      const name = `icons/${providerId}.svg`
      return ready().drawing(name) === undefined ? undefined : name
    },
    asset: (name) => ready().assets.find(name),
    assetsAt: (basePath) => ready().assets.at(basePath),
  }
}
