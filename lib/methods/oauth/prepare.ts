import * as oauth from "oauth4webapi"
import type { ResolvedConfig } from "../../config/resolve.js"
import { Fault } from "../../error-codes.js"
import { defined } from "../../merge.js"
import type { EndpointHandler, OAuthConfig } from "../../providers/provider.js"
import { boundedFetch, OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import { fetchOf } from "../../symbols.js"
import type { Profile, TokenSet, User } from "../../types.js"
import type { ReadyProvider } from "../method.js"
import { type Cached, cached } from "./cached.js"
import { clientAuthOf } from "./client-auth.js"
import { isSecureUrl, type MergedOAuth, mergeProvider, toParams } from "./endpoint.js"
import { createIssuerKeys, type IssuerKeys } from "./issuer-keys.js"
import { createMetadataLoader } from "./metadata.js"

export type Check = "pkce" | "state" | "nonce"

/** A provider with everything worked out that depends on the configuration alone. */
export interface ReadyOAuth extends ReadyProvider {
  readonly type: "oauth" | "oidc"
  readonly source: MergedOAuth
  /** The provider as merged, for functions of its own that take one: endpoints have their `url` as a URL, query and all. */
  readonly view: object
  readonly issuer: string | undefined
  /** Undefined leaves it to discovery. */
  readonly authorizationUrl: string | undefined
  readonly authorizationParams: Readonly<Record<string, string>>
  readonly token: EndpointHandler
  readonly userinfo: EndpointHandler
  readonly checks: ReadonlySet<Check>
  readonly usesFormPost: boolean
  readonly redirectProxyUrl: string | undefined
  readonly client: oauth.Client
  readonly clientAuth: oauth.ClientAuth
  readonly allowInsecure: boolean
  readonly verifiesIdToken: boolean
  /** Takes the profile from userinfo although there is an id_token. */
  readonly prefersUserinfo: boolean
  /** Asks userinfo for what the granted scopes promise and the id_token lacks. */
  readonly completesIdToken: boolean
  readonly profile: NonNullable<MergedOAuth["profile"]>
  readonly isAllowed: NonNullable<MergedOAuth["isAllowed"]>
  readonly isEmailVerified: (profile: Profile) => boolean
  readonly account: (tokens: TokenSet) => TokenSet | undefined
  readonly allowsEmailLinking: boolean
  readonly allowsScopeOverride: boolean
  readonly issuerOf: MergedOAuth["issuerOf"]
  readonly userinfoIssuerOf: MergedOAuth["userinfoIssuerOf"]
  /** The `fetch` for one flow: all of its calls together keep to one deadline. */
  readonly fetchFor: (deadline: AbortSignal) => typeof fetch
  readonly metadata: Cached<oauth.AuthorizationServer>
  readonly issuerKeys: IssuerKeys
}

const CACHE_TTL_MS = 60 * 60 * 1000
const FAILURE_TTL_MS = 1000

/** What is kept of a token answer when the account is linked. */
const keptTokens = (tokens: TokenSet): TokenSet => {
  const { access_token, id_token, refresh_token, expires_at, scope, token_type, session_state } = tokens
  return defined({ access_token, id_token, refresh_token, expires_at, scope, token_type, session_state })
}

/** `email_verified` is about the claim `email` (OpenID Connect Core §5.1), not about an address from another claim. */
const isEmailClaimVerified = ({ email, email_verified }: Profile): boolean =>
  email_verified === true && typeof email === "string"

function ruleFor({ provesEmail }: MergedOAuth): (profile: Profile) => boolean {
  if (provesEmail === "always") return ({ email }) => typeof email === "string" && email !== ""
  return provesEmail === "never" ? () => false : isEmailClaimVerified
}

/** The standard claims of OpenID Connect (Core §5.1) as a user. */
function defaultProfile(profile: Profile): User {
  const id: unknown = profile.sub ?? profile.id
  const user = {
    id: id === undefined || id === null || typeof id === "boolean" ? undefined : String(id),
    name: profile.name ?? profile.nickname ?? profile.preferred_username,
    email: profile.email,
    image: profile.picture,
  }
  return defined(user)
}

function checksOf({ checks, type }: MergedOAuth, redirectProxyUrl: string | undefined): ReadonlySet<Check> {
  const known: readonly Check[] = type === "oidc" ? ["pkce", "state", "nonce"] : ["pkce", "state"]
  const listed = new Set<string>(checks ?? known)
  // The proxy reads from the state where to hand the answer on to.
  if (redirectProxyUrl) listed.add("state")
  return new Set(known.filter((check) => listed.has(check)))
}

function authorizationParamsOf({ authorization, type }: MergedOAuth): Record<string, string> {
  const { scope, ...params } = toParams(authorization?.params)
  // An empty scope is none at all (RFC 6749 §3.3): for providers that have no scopes, or know a client's by themselves.
  if (scope !== undefined) return scope === "" ? params : { ...params, scope }
  // As in the contract, for plain OAuth too when it has an authorization endpoint of its own.
  return type === "oidc" || authorization !== undefined ? { ...params, scope: "openid profile email" } : params
}

/** An address with its parameters put back: for endpoints that are not built anew on each use. */
const withParams = (endpoint: EndpointHandler | undefined): EndpointHandler => {
  if (!endpoint?.url) return endpoint ?? {}
  const query = new URLSearchParams(toParams(endpoint.params)).toString()
  return { ...endpoint, url: query ? `${endpoint.url}?${query}` : endpoint.url }
}

const withUrl = (endpoint: EndpointHandler): object =>
  endpoint.url && URL.canParse(endpoint.url) ? { ...endpoint, url: new URL(endpoint.url) } : endpoint

const viewOf = (source: MergedOAuth, { token, userinfo }: Readonly<Record<"token" | "userinfo", EndpointHandler>>) => ({
  ...source,
  authorization: withUrl(withParams(source.authorization)),
  token: withUrl(token),
  userinfo: withUrl(userinfo),
})

const originsOf = (urls: readonly (string | undefined)[]): string[] => [
  ...new Set(urls.flatMap((url) => (url && URL.canParse(url) ? [new URL(url).origin] : []))),
]

/** Works a provider out: long, for it has one line for each member of what comes out. */
export function prepareOAuth(provider: OAuthConfig, config: ResolvedConfig): ReadyOAuth {
  const source = mergeProvider(provider)
  const authorizationParams = authorizationParamsOf(source)
  const usesFormPost = authorizationParams["response_mode"] === "form_post"
  // A posted answer can't be handed on by a redirect.
  const redirectProxyUrl = usesFormPost ? undefined : (source.redirectProxyUrl ?? config.redirectProxyUrl)
  const ownFetch = fetchOf(provider.options ?? {}) ?? fetchOf(provider)
  // Looked up at each call, so that instrumentation which replaces the global one is seen.
  const fetchFor = (deadline: AbortSignal) =>
    boundedFetch(ownFetch ?? ((input, init) => globalThis.fetch(input, init)), deadline)
  const fetchAlone: typeof fetch = (input, init) => fetchFor(AbortSignal.timeout(OUTBOUND_TIMEOUT_MS))(input, init)
  const token = withParams(source.token)
  const userinfo = withParams(source.userinfo)
  const client: oauth.Client = {
    ...source.client,
    client_id: source.clientId ?? "",
    [oauth.clockTolerance]: 30,
  }
  const policy = { ttlMs: CACHE_TTL_MS, failureMs: FAILURE_TTL_MS, now: config.clock }
  const says = source.isEmailVerified ?? ruleFor(source)
  const metadata = cached(createMetadataLoader({ source, token, userinfo, fetch: fetchAlone }), policy)
  return {
    id: source.id,
    name: source.name,
    type: source.type,
    style: source.style,
    source,
    view: viewOf(source, { token, userinfo }),
    issuer: source.issuer,
    authorizationUrl: source.authorization?.url,
    authorizationParams,
    token,
    userinfo,
    checks: checksOf(source, redirectProxyUrl),
    usesFormPost,
    redirectProxyUrl,
    client,
    clientAuth: clientAuthOf(source),
    allowInsecure: source.allowInsecure ?? false,
    verifiesIdToken: source.verifyIdToken ?? true,
    prefersUserinfo: source.type === "oidc" && "idToken" in source && source.idToken === false,
    // A definition with a profile function of its own knows where its provider has the claims.
    completesIdToken:
      source.type === "oidc" && Reflect.get(source, "idToken") === undefined && provider.profile === undefined,
    profile: source.profile ?? defaultProfile,
    isAllowed: source.isAllowed ?? (() => true),
    // A boolean alone: any other value, a promise too, would count as true.
    isEmailVerified: (profile) => says(profile) === true,
    provesEmail: source.provesEmail ?? "by claim",
    account: source.account ? (tokens) => source.account?.(tokens) ?? {} : keptTokens,
    allowsEmailLinking: source.allowDangerousEmailAccountLinking ?? false,
    allowsScopeOverride: source.allowScopeOverride ?? false,
    issuerOf: source.issuerOf,
    userinfoIssuerOf: source.userinfoIssuerOf,
    formTargets: originsOf([source.authorization?.url, source.issuer]).filter((origin) => origin.startsWith("http:")),
    fetchFor,
    metadata,
    issuerKeys: createIssuerKeys(fetchAlone, policy),
  }
}

/**
 * Refuses an address that what the provider allows does not cover.
 *
 * @throws Error naming the address and the option
 */
export function requireCallable(url: string, { allowInsecure }: Pick<ReadyOAuth, "allowInsecure">): void {
  if (!allowInsecure && !isSecureUrl(url))
    throw new Fault("provider-url-insecure", `${url} is not https; set allowInsecure: true to use it all the same`)
}
