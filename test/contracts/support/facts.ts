import { existsSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { Fact } from "./catalogue.js"

// biome-ignore lint/suspicious/noExplicitAny: the packages have different types, and only data is compared
type Loose = any

const THEIRS = join(__dirname, "../../../node_modules/@auth/core/providers")

/** True if Auth.js has a provider in a file of this name. */
export const isOfAuthJs = (file: string): boolean => existsSync(join(THEIRS, `${file}.js`))

export async function loadTheirs(file: string): Promise<(options: Loose) => Loose> {
  const { default: factory } = await import(join(THEIRS, `${file}.js`))
  return factory
}

/** The URL and the parameters of an endpoint in any notation. */
function endpointFacts(endpoint: Loose): { url: string | undefined; params: Record<string, string> } {
  const { url, params } = typeof endpoint === "string" ? { url: endpoint, params: {} } : { ...endpoint }
  if (!url) return { url: undefined, params: { ...params } }
  const { href, searchParams } = new URL(String(url))
  return { url: href.split("?")[0], params: { ...Object.fromEntries(searchParams), ...params } }
}

/** The data of a provider after merging its options. */
function readFacts(factory: Loose, options: object): Record<Exclude<Fact, "user">, unknown> {
  const built = factory({ ...options })
  const provider = { ...built, ...built.options }
  const authorization = endpointFacts(provider.authorization)
  return {
    id: provider.id,
    name: provider.name,
    type: provider.type,
    issuer: provider.issuer,
    wellKnown: provider.wellKnown,
    authorizationUrl: authorization.url,
    params: authorization.params,
    token: endpointFacts(provider.token).url,
    userinfo: endpointFacts(provider.userinfo).url,
    checks: provider.checks,
    client: provider.client,
    idToken: provider.idToken,
    brandColor: provider.style?.brandColor ?? provider.style?.bg,
  }
}

/** The facts in which two factories differ. */
export function differingFacts(ours: Loose, theirs: Loose, options: object): string[] {
  const [own, reference] = [readFacts(ours, options), readFacts(theirs, options)]
  return Object.entries(own).flatMap(([fact, value]) =>
    isDeepStrictEqual(value, Reflect.get(reference, fact)) ? [] : [fact],
  )
}
