/**
 * Sends requests to each provider: for its metadata and its keys, and with the credentials of the client.
 *
 * @module
 */
import type { AuthorizationServer } from "oauth4webapi"
import { asError } from "../../errors/errors.js"
import { METHODS } from "../../methods/index.js"
import { isLogoutEnabled, isOAuth, mergeProvider } from "../../methods/oauth/endpoint.js"
import { prepareOAuth, type ReadyOAuth } from "../../methods/oauth/prepare.js"
import { encodeSecrets } from "../../methods/oauth/secret-encodings.js"
import { trackSecrets } from "../../methods/oauth/tracked-secrets.js"
import type { OAuthConfig } from "../../provider-kit/provider.js"
import { boundedFetch, OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import { customFetch, readCustomFetch } from "../../symbols.js"
import { clockFinding, type DoctorContext, type DoctorFinding, fail, masked, notCalled, ok, skip } from "./check.js"
import { clientFinding, requestToken } from "./client-check.js"
import { createValueMask } from "./mask.js"
import { checkLogout, checkMetadata, discoveryFinding } from "./metadata.js"
import { createRecordingFetch, parseObject, type RecordedResponse, secondsAhead } from "./responses.js"

/** A provider of the application, with the recorded responses of its endpoints. */
interface WatchedProvider {
  readonly provider: ReadyOAuth
  readonly fetch: typeof globalThis.fetch
  readonly responses: readonly RecordedResponse[]
  /** Masks the client secret in a text, including one that a function returns. */
  readonly mask: (text: string) => string
}

function recordResponses(object: OAuthConfig, { resolved }: DoctorContext): WatchedProvider {
  const applicationFetch = readCustomFetch(object.options ?? {}) ?? readCustomFetch(object) ?? globalThis.fetch
  const { fetch, responses } = createRecordingFetch(applicationFetch)
  const recorded = { ...object, options: { ...object.options, [customFetch]: fetch } } as OAuthConfig
  const bounded = boundedFetch(fetch, AbortSignal.timeout(OUTBOUND_TIMEOUT_MS * 2))
  const { provider, secrets } = trackSecrets(prepareOAuth(recorded, resolved))
  return { provider, fetch: bounded, responses, mask: (text) => createValueMask(encodeSecrets(secrets))(text) }
}

/** Compares the clocks. Only id_tokens depend on them. Every response, also an error, has the provider's time. */
function checkClock({ provider: { id, usesIdToken }, responses }: WatchedProvider): DoctorFinding[] {
  const ahead = responses.map(secondsAhead).find((seconds) => seconds !== undefined)
  return usesIdToken ? clockFinding(id, ahead) : []
}

async function checkKeys(
  jwksUri: string | undefined,
  { provider: { id, usesIdToken }, fetch, responses }: WatchedProvider,
): Promise<DoctorFinding[]> {
  if (!usesIdToken || !jwksUri) return []
  const cause = "The provider's keys can't be loaded, so no id_token can be verified"
  const unreachable = (seen: string) => [fail("provider-unreachable", id, { cause, seen })]
  try {
    await fetch(jwksUri, { headers: { accept: "application/json, application/jwk-set+json" } })
  } catch (error) {
    return unreachable(asError(error).message)
  }
  const response = responses.at(-1)
  const keys = response && parseObject(response)?.["keys"]
  if (!Array.isArray(keys) || keys.length === 0)
    return unreachable(`${jwksUri} answered with status ${response?.status} and no keys`)
  return [ok("provider-unreachable", id, keys.length === 1 ? "one key" : `${keys.length} keys`)]
}

/** The host of a token endpoint that was discovered and is not on the issuer's own host. */
function foreignTokenHost(as: AuthorizationServer, { token }: ReadyOAuth): string | undefined {
  if (token.url !== undefined || !as.token_endpoint) return undefined
  const { host } = new URL(as.token_endpoint)
  return host === new URL(as.issuer).host ? undefined : host
}

async function checkClient(
  as: AuthorizationServer,
  { provider, fetch, responses, mask }: WatchedProvider,
  context: DoctorContext,
): Promise<DoctorFinding[]> {
  const { id, client, token } = provider
  const unchecked = (reason: string) => [skip("client-refused", id, reason)]
  if (!client.client_id) return []
  if (token.request) return unchecked("uses a custom token request, which can't be checked: sign in once to test it")
  const foreignHost = foreignTokenHost(as, provider)
  if (foreignHost)
    return unchecked(`its token endpoint is on another host, ${foreignHost}: the secret was not sent there`)
  try {
    await requestToken(as, provider, { redirectUri: redirectUri(provider, context), fetch })
  } catch (error) {
    return [fail("provider-unreachable", id, { seen: asError(error).message })]
  }
  const response = responses.at(-1)
  return response ? [clientFinding(provider, response, mask)] : []
}

async function requestAll(watched: WatchedProvider, context: DoctorContext): Promise<DoctorFinding[]> {
  const { provider, responses } = watched
  try {
    const as = await provider.metadata.get()
    const isDiscovered = responses.length > 0
    const [keys, client] = [await checkKeys(as.jwks_uri, watched), await checkClient(as, watched, context)]
    const metadata = isDiscovered ? [...checkMetadata(as, provider), ...checkLogout(as, provider)] : []
    return [...metadata, ...keys, ...checkClock(watched), ...client]
  } catch (error) {
    return [discoveryFinding(provider, error, responses.at(-1)), ...checkClock(watched)]
  }
}

async function checkProvider(object: OAuthConfig, context: DoctorContext): Promise<DoctorFinding[]> {
  const watched = recordResponses(object, context)
  const found = await requestAll(watched, context)
  return found.map((finding) => masked(finding, watched.mask))
}

/** True if no invalid option prevents preparing the provider. The configuration check reports invalid options. */
const isPreparable = (index: number, { problems }: DoctorContext["runtime"]): boolean =>
  !problems.some(({ path, isRecoverable }) => !isRecoverable && path.startsWith(`providers[${index}]`))

/** Checks the metadata and the keys of each provider, and whether it knows this client. */
export async function checkProviderServers(context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { providers } = context.resolved
  if (context.options.isOffline) return providers.some(isOAuth) ? [notCalled("provider-unreachable", "providers")] : []
  const found = providers.map(async (provider, i) =>
    isOAuth(provider) && isPreparable(i, context.runtime) ? checkProvider(provider, context) : [],
  )
  return (await Promise.all(found)).flat()
}

/** Returns a URI to register: below the site's own address, or below that of the redirect proxy. */
const redirectUri = (
  { id, redirectProxyUrl }: { readonly id: string; readonly redirectProxyUrl?: string | undefined },
  { base, resolved }: DoctorContext,
  action = "callback",
): string => `${(redirectProxyUrl ?? resolved.redirectProxyUrl ?? base).replace(/\/$/, "")}/${action}/${id}`

/** Lists the redirect URI of each provider. */
export function listRedirectUris(context: DoctorContext): DoctorFinding[] {
  const { resolved, site } = context
  const providers = resolved.providers.filter(isOAuth).map((provider) => mergeProvider(provider))
  const uris = providers.map((provider) => ok("redirect-uri-mismatch", provider.id, redirectUri(provider, context)))
  if (uris.length === 0 || resolved.basePath !== undefined || (site && "base" in site)) return uris
  const hint = "is not set: these are for the default of authMiddleware; authHandlers use /api/auth"
  return [...uris, skip("redirect-uri-mismatch", "basePath", hint)]
}

/** Lists the addresses that a provider needs for logout. Sessions end at its request only if they are recorded. */
export function listLogoutUris(context: DoctorContext): DoctorFinding[] {
  const { resolved, base } = context
  if (!resolved.store || !resolved.session.revocable) return []
  const providers = resolved.providers.filter(isOAuth).filter((one) => METHODS[one.type]?.needs.supportsLogout?.(one))
  return providers.flatMap((provider) => {
    const merged = mergeProvider(provider)
    const { id } = merged
    const returnUri = `${redirectUri(merged, context, "post-logout")} as post-logout redirect URI`
    const logoutUri = `${base}/backchannel-logout/${id} as back-channel logout URI, with session required`
    return [
      ...(isLogoutEnabled(merged) ? [ok("logout-state-invalid", id, returnUri)] : []),
      ok("logout-token-invalid", id, logoutUri),
    ]
  })
}
