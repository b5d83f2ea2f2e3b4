import type { Theme } from "../base/types.js"
import { type Asset, type AssetLinks, createAssets } from "./assets.js"
import { createHeaders } from "./headers.js"
import type { BaseProps, LayoutProps, PageName, PageProps, ProviderProps } from "./props.js"
import { createIconLoader, createTemplates, createViewResolver } from "./templates.js"

export interface PagesConfig {
  /** The colours of the buttons. */
  readonly theme?: Readonly<Theme> | undefined
  /** A folder whose files override the built-in views; relative to the working directory. */
  readonly views?: string | undefined
  /** Additional CSP sources for `form-action`: origins of providers on plain http. */
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
   * @throws Error with the file and line, if one of the application's views fails
   */
  render<N extends PageName>(name: N, props: PageProps[N]): RenderedPage
  /** Returns the name of a provider's icon, which a view passes to `include`; undefined if the provider has no icon. */
  iconFor(providerId: string): string | undefined
  /** Returns the static file with a name; undefined if it does not exist. */
  asset(name: string): Asset | undefined
  /** Returns the URLs of the static files for a base path. */
  assetLinks(basePath: string): AssetLinks
}

/** Lists the images that a page shows. */
function listImages({ logo, providers = [] }: BaseProps & { providers?: readonly ProviderProps[] }): string[] {
  return [logo, ...providers.map((provider) => provider.logo)].filter((url) => url !== undefined)
}

/** `Vary`, because the Accept-Language header selects the page's language. */
const languageHeaders = ({ lang }: BaseProps) => ({ "Content-Language": lang, Vary: "Accept-Language" })

function load({ theme = {}, views, formTargets = [] }: PagesConfig) {
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
 * Creates the pages with the application's theme and views. Files are read and compiled on first use and cached.
 *
 * @example
 * const { html, headers } = createPages({ views: "./views/auth" }).render("error", props)
 */
export function createPages(config: PagesConfig): Pages {
  let loaded: ReturnType<typeof load> | undefined
  const loadOnce = () => {
    loaded ??= load(config)
    return loaded
  }
  return {
    render(name, props) {
      const { renderView, headersFor } = loadOnce()
      const layout: LayoutProps = { ...props, view: name }
      const { nonce, scripts } = props
      const headers = headersFor({ images: listImages(props), hasScripts: scripts.length > 0, nonce })
      return { html: renderView("layout", layout), headers: { ...headers, ...languageHeaders(props) } }
    },
    iconFor(providerId) {
      const name = `icons/${providerId}.svg`
      return loadOnce().loadIcon(name) === undefined ? undefined : name
    },
    asset: (name) => loadOnce().assets.find(name),
    assetLinks: (basePath) => loadOnce().assets.linksFor(basePath),
  }
}
