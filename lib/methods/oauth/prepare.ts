import * as oauth from "oauth4webapi"
import { omitUndefined } from "../../base/merge.js"
import { listOrigins } from "../../base/text.js"
import type { Profile, TokenSet, User } from "../../base/types.js"
import { createRefreshingCache, type RefreshingCache } from "../../cache/refreshing-cache.js"
import type { ResolvedConfig } from "../../config/resolved-config.js"
import { CodedError } from "../../errors/error-codes.js"
import type { EndpointHandler, OAuthConfig } from "../../provider-kit/provider.js"
import { boundedFetch, OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import type { TokenRules } from "../../tokens/token-state.js"
import type { ReadyProvider } from "../method.js"
import { createClientAuth } from "./client-auth.js"
import { createDpopHandles, type FindDpopHandle } from "./dpop.js"
import {
  findCustomFetch,
  isLogoutEnabled,
  isSecureUrl,
  type MergedOAuth,
  mergeProvider,
  readEndSessionUrl,
  toParams,
} from "./endpoint.js"
import { createIssuerKeys, type IssuerKeys } from "./issuer-keys.js"
import { createMetadataLoader, usesDiscovery } from "./metadata.js"

/** A value of the option `checks` that is verified in the callback. */
export type Check = "pkce" | "state" | "nonce"

/** A provider's settings, resolved once at start-up. */
export interface ReadyOAuth extends ReadyProvider {
  readonly type: "oauth" | "oidc"
  /** The provider's definition, merged with the application's options. */
  readonly source: MergedOAuth
  /** The `provider` argument of the functions in the provider's options. Each endpoint has its `url` as a `URL`. */
  readonly providerArgument: object
  readonly issuer: string | undefined
  /** The configured authorization endpoint; undefined if discovery provides it. */
  readonly authorizationUrl: string | undefined
  readonly authorizationParams: Readonly<Record<string, string>>
  /** The URIs of the APIs for which tokens are requested (RFC 8707). */
  readonly resources: readonly string[]
  readonly token: EndpointHandler
  readonly userinfo: EndpointHandler
  readonly checks: ReadonlySet<Check>
  /** True if the provider posts its response to the callback (`response_mode=form_post`). */
  readonly usesFormPost: boolean
  /** True if the provider's response is a signed JWT (`response_mode=query.jwt` and the like). */
  readonly usesJwtResponse: boolean
  readonly redirectProxyUrl: string | undefined
  readonly client: oauth.Client
  readonly clientAuth: oauth.ClientAuth
  readonly allowInsecure: boolean
  /** True with OpenID Connect: the token response must have an id_token. */
  readonly usesIdToken: boolean
  readonly verifiesIdToken: boolean
  /** True if the id_token's `amr` and `acr` are stored in the session (`SessionAuthentication`). */
  readonly trustsAuthenticationContext: boolean
  /** True if sign-out also signs the user out at the provider. */
  readonly logsOut: boolean
  /** The configured `end_session_endpoint`; undefined if discovery provides it. */
  readonly endSessionUrl: string | undefined
  /** True if the profile is read from userinfo, although there is an id_token. */
  readonly prefersUserinfo: boolean
  /**
   * True if userinfo is requested when the id_token lacks `name` although the scope `profile` is granted, or lacks
   * `email` although the scope `email` is granted.
   */
  readonly completesIdToken: boolean
  readonly profile: NonNullable<MergedOAuth["profile"]>
  /** Returns true if the user of this profile can sign in with this provider. */
  readonly isAllowed: NonNullable<MergedOAuth["isAllowed"]>
  readonly isEmailVerified: (profile: Profile) => boolean
  /** Returns the tokens to store with a linked account. */
  readonly account: (tokens: TokenSet) => TokenSet | undefined
  readonly allowsEmailLinking: boolean
  readonly allowsScopeOverride: boolean
  readonly scopeSeparator: string
  /** How the access tokens for the provider's API are stored and renewed. */
  readonly tokenRules: TokenRules
  /** Returns the issuer that an id_token must have. Set for a provider with one issuer per tenant. */
  readonly issuerOf: MergedOAuth["issuerOf"]
  /** Returns the issuer that signed userinfo must have. */
  readonly userinfoIssuerOf: MergedOAuth["userinfoIssuerOf"]
  /** The origins of the provider's API, to which `authorizedFetch` sends tokens. */
  readonly apiOrigins: ReadonlySet<string>
  /** The application's own `fetch` for this provider. */
  readonly customFetch: typeof fetch | undefined
  /** Creates the `fetch` of one flow. The deadline applies to all of its requests together. */
  readonly fetchFor: (deadline: AbortSignal) => typeof fetch
  /** True if tokens are bound to a key of the sign-in (DPoP). */
  readonly usesDpop: boolean
  readonly findDpopHandle: FindDpopHandle
  /** True if the metadata comes from a discovery document. */
  readonly usesDiscovery: boolean
  readonly metadata: RefreshingCache<oauth.AuthorizationServer>
  readonly issuerKeys: IssuerKeys
}

/** How long metadata and keys are cached. */
const CACHE_TTL_MS = 60 * 60 * 1000
/** How long a failure to load metadata or keys is cached. */
const FAILURE_TTL_MS = 1000

/** Returns the tokens to store with a linked account, for a provider without an `account` function. */
const defaultStoredTokens = (tokens: TokenSet): TokenSet => {
  const { access_token, id_token, refresh_token, expires_at, scope, token_type, session_state } = tokens
  return omitUndefined({ access_token, id_token, refresh_token, expires_at, scope, token_type, session_state })
}

/** `email_verified` applies only to the claim `email` (OpenID Connect Core §5.1). */
const isEmailClaimVerified = ({ email, email_verified }: Profile): boolean =>
  email_verified === true && typeof email === "string"

/** Returns a function that decides whether the address of a profile is verified, for the option `verifiesEmail`. */
function selectEmailCheck({ verifiesEmail }: MergedOAuth): (profile: Profile) => boolean {
  if (verifiesEmail === "always") return ({ email }) => typeof email === "string" && email !== ""
  return verifiesEmail === "never" ? () => false : isEmailClaimVerified
}

/** Converts the standard claims of OpenID Connect (Core §5.1) to a user. */
function defaultProfile(profile: Profile): User {
  const id: unknown = profile.sub ?? profile.id
  const user = {
    id: id === undefined || id === null || typeof id === "boolean" ? undefined : String(id),
    name: profile.name ?? profile.nickname ?? profile.preferred_username,
    email: profile.email,
    image: profile.picture,
  }
  return omitUndefined(user)
}

function resolveChecks({ checks, type }: MergedOAuth, redirectProxyUrl: string | undefined): ReadonlySet<Check> {
  const supportedChecks: readonly Check[] = type === "oidc" ? ["pkce", "state", "nonce"] : ["pkce", "state"]
  const listed = new Set<string>(checks ?? supportedChecks)
  // The redirect proxy needs `state`, which names the deployment to which the proxy forwards the response.
  if (redirectProxyUrl) listed.add("state")
  return new Set(supportedChecks.filter((check) => listed.has(check)))
}

function resolveAuthorizationParams(source: MergedOAuth): Record<string, string> {
  const { authorization, type, acrValues, claims } = source
  const options = toParams({ acr_values: acrValues?.join(" "), claims })
  const { scope, ...params } = { ...toParams(authorization?.params), ...options }
  // RFC 6749 §3.3 forbids an empty scope, so "" omits the parameter. This is for providers that have no scopes, and for
  // providers that take the scopes from the registration of the client.
  if (scope !== undefined) return scope === "" ? params : { ...params, scope }
  // Auth.js compatibility: plain OAuth also has this default scope if the provider sets `authorization`.
  return type === "oidc" || authorization !== undefined ? { ...params, scope: "openid profile email" } : params
}

/** Appends the endpoint's `params` to its URL. */
const appendParams = (endpoint: EndpointHandler | undefined): EndpointHandler => {
  if (!endpoint?.url) return endpoint ?? {}
  const query = new URLSearchParams(toParams(endpoint.params)).toString()
  return { ...endpoint, url: query ? `${endpoint.url}?${query}` : endpoint.url }
}

/** Converts the endpoint's URL from text to a `URL`. */
const parseUrl = (endpoint: EndpointHandler): object =>
  endpoint.url && URL.canParse(endpoint.url) ? { ...endpoint, url: new URL(endpoint.url) } : endpoint

const createProviderArgument = (
  source: MergedOAuth,
  { token, userinfo }: Readonly<Record<"token" | "userinfo", EndpointHandler>>,
) => ({
  ...source,
  authorization: parseUrl(appendParams(source.authorization)),
  token: parseUrl(token),
  userinfo: parseUrl(userinfo),
})

/** Resolves the settings of a provider. The function is long because it has one line for each setting. */
export function prepareOAuth(provider: OAuthConfig, config: ResolvedConfig): ReadyOAuth {
  const source = mergeProvider(provider)
  const authorizationParams = resolveAuthorizationParams(source)
  const { response_mode: responseMode = "query" } = authorizationParams
  const usesFormPost = /^form_post/.test(responseMode)
  const usesJwtResponse = /jwt$/.test(responseMode)
  // The redirect proxy is not used with these response modes. It forwards by a redirect, which loses the body of a
  // POST, and it reads `state` from the query, where a JWT response has no `state`.
  const redirectProxyUrl =
    usesFormPost || usesJwtResponse ? undefined : (source.redirectProxyUrl ?? config.redirectProxyUrl)
  const customFetch = findCustomFetch(provider)
  // The global `fetch` is looked up on each call, because instrumentation may replace it.
  const fetchFor = (deadline: AbortSignal) =>
    boundedFetch(customFetch ?? ((input, init) => globalThis.fetch(input, init)), deadline)
  // All flows share the cached metadata and keys. So each request for them has its own deadline, and not the deadline
  // of one flow.
  const fetchShared: typeof fetch = (input, init) => fetchFor(AbortSignal.timeout(OUTBOUND_TIMEOUT_MS))(input, init)
  const token = appendParams(source.token)
  const userinfo = appendParams(source.userinfo)
  const client: oauth.Client = {
    ...source.client,
    client_id: source.clientId ?? "",
    [oauth.clockTolerance]: 30,
  }
  const cachePolicy = { ttlMs: CACHE_TTL_MS, failureTtlMs: FAILURE_TTL_MS, now: config.clock }
  const checkEmail = source.isEmailVerified ?? selectEmailCheck(source)
  const metadata = createRefreshingCache(
    createMetadataLoader({ source, token, userinfo, fetch: fetchShared }),
    cachePolicy,
  )
  return {
    id: source.id,
    name: source.name,
    type: source.type,
    style: source.style,
    source,
    providerArgument: createProviderArgument(source, { token, userinfo }),
    issuer: source.issuer,
    authorizationUrl: source.authorization?.url,
    authorizationParams,
    resources: [source.resource ?? []].flat(),
    token,
    userinfo,
    checks: resolveChecks(source, redirectProxyUrl),
    usesFormPost,
    usesJwtResponse,
    redirectProxyUrl,
    client,
    clientAuth: createClientAuth(source),
    allowInsecure: source.allowInsecure ?? false,
    usesIdToken: source.type === "oidc",
    verifiesIdToken: source.verifyIdToken ?? true,
    trustsAuthenticationContext: source.trustAuthenticationContext ?? false,
    logsOut: isLogoutEnabled(source),
    endSessionUrl: readEndSessionUrl(source),
    prefersUserinfo: source.type === "oidc" && "idToken" in source && source.idToken === false,
    // False if the provider's definition has its own profile(), which may request the claims itself.
    completesIdToken:
      source.type === "oidc" && Reflect.get(source, "idToken") === undefined && provider.profile === undefined,
    profile: source.profile ?? defaultProfile,
    isAllowed: source.isAllowed ?? (() => true),
    // Only `true` is accepted: other truthy values, such as a promise, must not verify an address.
    isEmailVerified: (profile) => checkEmail(profile) === true,
    verifiesEmail: source.verifiesEmail ?? "by claim",
    account: source.account ? (tokens) => source.account?.(tokens) ?? {} : defaultStoredTokens,
    allowsEmailLinking: source.allowDangerousEmailAccountLinking ?? false,
    allowsScopeOverride: source.allowScopeOverride ?? false,
    scopeSeparator: source.scopeSeparator ?? " ",
    tokenRules: {
      isStored: source.keepTokens ?? true,
      isRenewable: token.refresh !== false,
      canonicalScope: source.canonicalScope ?? ((scope) => scope),
    },
    apiOrigins: new Set(source.apiOrigins ?? []),
    customFetch,
    issuerOf: source.issuerOf,
    userinfoIssuerOf: source.userinfoIssuerOf,
    // The Content-Security-Policy of the pages allows all https origins, so only http origins are listed.
    formTargets: listOrigins([source.authorization?.url, source.issuer]).filter((origin) => origin.startsWith("http:")),
    fetchFor,
    usesDpop: source.dpop ?? false,
    findDpopHandle: createDpopHandles(client),
    usesDiscovery: usesDiscovery({ source, token, userinfo }),
    metadata,
    issuerKeys: createIssuerKeys(fetchShared, cachePolicy),
  }
}

/**
 * Rejects a URL that is neither https nor a loopback address, unless the provider sets `allowInsecure`.
 *
 * @throws CodedError that names the URL and the option
 */
export function requireSecureUrl(url: string, { allowInsecure }: Pick<ReadyOAuth, "allowInsecure">): void {
  if (!allowInsecure && !isSecureUrl(url))
    throw new CodedError("provider-url-insecure", `${url} is not https; set allowInsecure: true to allow it`)
}
