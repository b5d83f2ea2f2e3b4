import type { AuthorizationServer } from "oauth4webapi"
import { Fault } from "../../error-codes.js"
import { isPlainObject } from "../../merge.js"
import type { EndpointHandler } from "../../providers/provider.js"
import { isOnThisMachine } from "../../security/this-machine.js"
import type { MergedOAuth } from "./endpoint.js"

interface MetadataSource {
  readonly source: MergedOAuth
  readonly token: EndpointHandler
  readonly userinfo: EndpointHandler
  readonly fetch: typeof fetch
}

const STANDARD_PATH = "/.well-known/openid-configuration"

/** Where the discovery document is (OpenID Connect Discovery §4). */
const discoveryUrl = ({ wellKnown, issuer = "" }: MergedOAuth): string =>
  wellKnown ?? issuer.replace(/\/$/, "") + STANDARD_PATH

const hrefOf = (text: unknown): string | undefined =>
  typeof text === "string" && URL.canParse(text) ? new URL(text).href : undefined

/** What this process asks of its own accord. */
const CALLED = ["token_endpoint", "userinfo_endpoint", "jwks_uri"] as const

/** A document from elsewhere has no business with what listens on this machine for this machine alone. */
function requireElsewhere(metadata: AuthorizationServer, source: MergedOAuth, own: object): void {
  const url = discoveryUrl(source)
  if (source.allowInsecure || isOnThisMachine(url)) return
  const name = CALLED.find((one) => !(one in own) && isOnThisMachine(String(metadata[one])))
  if (name === undefined) return
  const seen = `${url} says that its ${name} is ${JSON.stringify(metadata[name])}, on this machine`
  throw new Fault("provider-url-insecure", `${seen}; set allowInsecure: true to use it all the same`)
}

async function discover({ source, fetch }: MetadataSource): Promise<AuthorizationServer> {
  const url = discoveryUrl(source)
  const response = await fetch(url, { headers: { accept: "application/json" } })
  if (response.status !== 200) throw new Fault("provider-unreachable", `${url} answered with status ${response.status}`)
  const document: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(document)) throw new Error(`${url} did not answer with a JSON object`)
  const issuer = new URL(source.issuer ?? "")
  const metadata = source.conformMetadata ? source.conformMetadata(document, issuer) : document
  // Discovery §4.3: otherwise anybody who can answer here could speak for another issuer.
  if (hrefOf(metadata["issuer"]) !== issuer.href)
    throw new Fault(
      "issuer-mismatch",
      `${url} says that its issuer is ${JSON.stringify(metadata["issuer"])}, the configured one is "${source.issuer}"`,
    )
  // The issuer was checked; each endpoint is checked where it is used.
  return metadata as unknown as AuthorizationServer
}

/** Does everything that a callback needs stand in the provider itself? */
function isStatic({ source, token, userinfo }: MetadataSource): boolean {
  if (source.type === "oidc") return false
  return Boolean(source.authorization?.url && (token.url || token.request) && (userinfo.url || userinfo.request))
}

/** The server's metadata: discovered where the provider leaves something out, its own addresses before discovered ones. */
export function createMetadataLoader(provider: MetadataSource): () => Promise<AuthorizationServer> {
  const { source, token, userinfo } = provider
  const own = {
    ...(source.authorization?.url && { authorization_endpoint: source.authorization.url }),
    ...(token.url && { token_endpoint: token.url }),
    ...(userinfo.url && { userinfo_endpoint: userinfo.url }),
    ...("jwks_endpoint" in source && typeof source.jwks_endpoint === "string" && { jwks_uri: source.jwks_endpoint }),
  }
  if (isStatic(provider) || !source.issuer) {
    const fixed = { issuer: source.issuer ?? own.authorization_endpoint ?? "", ...own }
    return async () => fixed
  }
  return async () => {
    const discovered = await discover(provider)
    requireElsewhere(discovered, source, own)
    return { ...discovered, ...own }
  }
}
