import type { Theme } from "../base/types.js"
import { type Asset, type AssetLinks, createAssets } from "./assets.js"
import { createHeaders } from "./headers.js"
import type { BaseProps, LayoutProps, PageName, PageProps, ProviderProps } from "./props.js"
import { createIconLoader, createTemplates, createViewResolver } from "./templates.js"

/** The options of `createPages`. */
export interface PagesConfig {
  /** The colours of buttons and links. */
  readonly theme?: Readonly<Theme> | undefined
  /** A folder whose files replace the built-in views. A relative path starts at the working directory. */
  readonly views?: string | undefined
  /** Additional CSP sources for `form-action`: the origins of providers that use http in development. */
  readonly formTargets?: readonly string[] | undefined
}

/** A rendered page and its headers. */
export interface RenderedPage {
  readonly html: string
  readonly headers: Record<string, string>
}

/** Renders the built-in pages and serves their static files, for one configuration. */
export interface Pages {
  /**
   * Renders a page.
   *
   * @throws Error with file and line if one of the application's views fails
   */
  render<N extends PageName>(name: N, props: PageProps[N]): RenderedPage
  /** Returns the path of a provider's icon, which a view passes to `include`; undefined if the provider has no icon. */
  findIconPath(providerId: string): string | undefined
  /** Returns the static file with this name; undefined if there is none. */
  asset(name: string): Asset | undefined
  /** Returns the paths and hashes of the static files, below a base path. */
  assetLinks(basePath: string): AssetLinks
}

/** Returns the URLs of the logos that a page shows: the application's logo, and the logos of providers. */
function listImages({ logo, providers = [] }: BaseProps & { providers?: readonly ProviderProps[] }): string[] {
  return [logo, ...providers.map((provider) => provider.logo)].filter((url) => url !== undefined)
}

/** Returns the headers about the page's language. `Vary` is needed, because `Accept-Language` selects the language. */
const languageHeaders = ({ lang }: BaseProps) => ({ "Content-Language": lang, Vary: "Accept-Language" })

/** Reads the static files, and creates the functions that render views and create headers. */
function createRenderer({ theme = {}, views, formTargets = [] }: PagesConfig) {
  const findView = createViewResolver(views)
  const loadIcon = createIconLoader(findView)
  return {
    assets: createAssets(findView, theme),
    headersFor: createHeaders(formTargets),
    renderView: createTemplates(findView, loadIcon),
    loadIcon,
  }
}

/**
 * Creates a renderer of pages with the application's theme and views. Files are read and compiled at their first use,
 * and then cached.
 *
 * @example
 * const { html, headers } = createPages({ views: "./views/auth" }).render("error", props)
 */
export function createPages(config: PagesConfig): Pages {
  let renderer: ReturnType<typeof createRenderer> | undefined
  const getRenderer = () => {
    renderer ??= createRenderer(config)
    return renderer
  }
  return {
    render(name, props) {
      const { renderView, headersFor } = getRenderer()
      const layout: LayoutProps = { ...props, view: name }
      const { nonce, scripts } = props
      const headers = headersFor({ images: listImages(props), hasScripts: scripts.length > 0, nonce })
      return { html: renderView("layout", layout), headers: { ...headers, ...languageHeaders(props) } }
    },
    findIconPath(providerId) {
      const path = `icons/${providerId}.svg`
      return getRenderer().loadIcon(path) === undefined ? undefined : path
    },
    asset: (name) => getRenderer().assets.find(name),
    assetLinks: (basePath) => getRenderer().assets.linksFor(basePath),
  }
}
