/**
 * Sends requests to each provider: for the metadata, for the keys, and to check the client id and secret.
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
import {
  clockFinding,
  type DoctorContext,
  type DoctorFinding,
  fail,
  maskFinding,
  ok,
  skip,
  skipOffline,
} from "./check.js"
import { clientFinding, requestToken } from "./client-check.js"
import { createValueMask } from "./mask.js"
import { checkLogout, checkMetadata, discoveryFinding } from "./metadata.js"
import { createRecordingFetch, parseObject, type RecordedResponse, secondsAhead } from "./responses.js"

/** A provider of the application, with the recorded responses of its endpoints. */
interface RecordedProvider {
  readonly provider: ReadyOAuth
  readonly fetch: typeof globalThis.fetch
  readonly responses: readonly RecordedResponse[]
  /** Masks the client secret in a text, even if the option `clientSecret` is a function. */
  readonly mask: (text: string) => string
}

function createRecordedProvider(object: OAuthConfig, { resolved }: DoctorContext): RecordedProvider {
  const applicationFetch = readCustomFetch(object.options ?? {}) ?? readCustomFetch(object) ?? globalThis.fetch
  const { fetch, responses } = createRecordingFetch(applicationFetch)
  const recorded = { ...object, options: { ...object.options, [customFetch]: fetch } } as OAuthConfig
  const bounded = boundedFetch(fetch, AbortSignal.timeout(OUTBOUND_TIMEOUT_MS * 2))
  const { provider, secrets } = trackSecrets(prepareOAuth(recorded, resolved))
  return { provider, fetch: bounded, responses, mask: (text) => createValueMask(encodeSecrets(secrets))(text) }
}

/**
 * Compares the provider's clock, on which the validity of id_tokens depends, with the local clock. Returns no finding
 * for a provider without id_tokens. Reads the provider's time from the `Date` header of any response, even of an error
 * response.
 */
function checkClock({ provider: { id, usesIdToken }, responses }: RecordedProvider): DoctorFinding[] {
  const ahead = responses.map(secondsAhead).find((seconds) => seconds !== undefined)
  return usesIdToken ? clockFinding(id, ahead) : []
}

async function checkKeys(
  jwksUri: string | undefined,
  { provider: { id, usesIdToken }, fetch, responses }: RecordedProvider,
): Promise<DoctorFinding[]> {
  if (!usesIdToken || !jwksUri) return []
  const cause = "The provider's keys can't be loaded, so no id_token can be verified"
  const keysFailure = (seen: string) => [fail("provider-unreachable", id, { cause, seen })]
  try {
    await fetch(jwksUri, { headers: { accept: "application/json, application/jwk-set+json" } })
  } catch (error) {
    return keysFailure(asError(error).message)
  }
  const response = responses.at(-1)
  const keys = response && parseObject(response)?.["keys"]
  if (!Array.isArray(keys) || keys.length === 0)
    return keysFailure(`${jwksUri} answered with status ${response?.status} and no keys`)
  return [ok("provider-unreachable", id, keys.length === 1 ? "one key" : `${keys.length} keys`)]
}

/**
 * Returns why the client id and secret can't be checked; undefined if they can. The secret is sent to a discovered token
 * endpoint only if the endpoint is on the issuer's host.
 */
function uncheckedReason(as: AuthorizationServer, { token }: ReadyOAuth): string | undefined {
  if (token.request) return "uses a custom token request, which can't be checked: sign in once to test it"
  const endpoint = as.token_endpoint
  if (token.url !== undefined || !endpoint) return undefined
  if (!URL.canParse(endpoint)) return `its token endpoint is not a URL: ${endpoint}`
  const { host } = new URL(endpoint)
  if (host === new URL(as.issuer).host) return undefined
  return `its token endpoint is on another host, ${host}: the secret was not sent there`
}

async function checkClient(
  as: AuthorizationServer,
  { provider, fetch, responses, mask }: RecordedProvider,
  context: DoctorContext,
): Promise<DoctorFinding[]> {
  const { id, client } = provider
  if (!client.client_id) return []
  const reason = uncheckedReason(as, provider)
  if (reason !== undefined) return [skip("client-refused", id, reason)]
  try {
    await requestToken(as, provider, { redirectUri: returnUri(provider, context), fetch })
  } catch (error) {
    return [fail("provider-unreachable", id, { seen: asError(error).message })]
  }
  const response = responses.at(-1)
  return response ? [clientFinding(provider, response, mask)] : []
}

async function checkServer(recordedProvider: RecordedProvider, context: DoctorContext): Promise<DoctorFinding[]> {
  const { provider, responses } = recordedProvider
  try {
    const as = await provider.metadata.get()
    const isDiscovered = responses.length > 0
    const [keys, client] = [
      await checkKeys(as.jwks_uri, recordedProvider),
      await checkClient(as, recordedProvider, context),
    ]
    const metadata = isDiscovered ? [...checkMetadata(as, provider), ...checkLogout(as, provider)] : []
    return [...metadata, ...keys, ...checkClock(recordedProvider), ...client]
  } catch (error) {
    return [discoveryFinding(provider, error, responses.at(-1)), ...checkClock(recordedProvider)]
  }
}

async function checkProvider(object: OAuthConfig, context: DoctorContext): Promise<DoctorFinding[]> {
  const recordedProvider = createRecordedProvider(object, context)
  const found = await checkServer(recordedProvider, context)
  return found.map((finding) => maskFinding(finding, recordedProvider.mask))
}

/**
 * True if the provider can be prepared, because its options are valid. `checkConfiguration` reports invalid options.
 */
const isPreparable = (index: number, { problems }: DoctorContext["runtime"]): boolean =>
  !problems.some(({ path, isRecoverable }) => !isRecoverable && path.startsWith(`providers[${index}]`))

/** Checks the metadata and the keys of each provider, and whether the provider accepts the client id and secret. */
export async function checkProviderServers(context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { providers } = context.resolved
  if (context.options.isOffline)
    return providers.some(isOAuth) ? [skipOffline("provider-unreachable", "providers")] : []
  const found = providers.map(async (provider, i) =>
    isOAuth(provider) && isPreparable(i, context.runtime) ? checkProvider(provider, context) : [],
  )
  return (await Promise.all(found)).flat()
}

/**
 * Returns the URI to register at a provider for an action. The URI is below the URL of the redirect proxy if one is
 * configured, and otherwise below the site's base URL.
 */
const returnUri = (
  { id, redirectProxyUrl }: { readonly id: string; readonly redirectProxyUrl?: string | undefined },
  { base, resolved }: DoctorContext,
  action = "callback",
): string => `${(redirectProxyUrl ?? resolved.redirectProxyUrl ?? base).replace(/\/$/, "")}/${action}/${id}`

/** Lists the redirect URI of each provider. */
export function listRedirectUris(context: DoctorContext): DoctorFinding[] {
  const { resolved, site } = context
  const providers = resolved.providers.filter(isOAuth).map((provider) => mergeProvider(provider))
  const uris = providers.map((provider) => ok("redirect-uri-mismatch", provider.id, returnUri(provider, context)))
  if (uris.length === 0 || resolved.basePath !== undefined || (site && "base" in site)) return uris
  const hint = "is not set, so the URIs have the default path of authMiddleware, /auth; authHandlers use /api/auth"
  return [...uris, skip("redirect-uri-mismatch", "basePath", hint)]
}

/**
 * Lists the URIs to register for logout. Providers can end only sessions that have records in the store, so without
 * records no URI is listed.
 */
export function listLogoutUris(context: DoctorContext): DoctorFinding[] {
  const { resolved, base } = context
  if (!resolved.store || !resolved.session.revocable) return []
  const providers = resolved.providers
    .filter(isOAuth)
    .filter((provider) => METHODS[provider.type]?.needs.supportsLogout?.(provider))
  return providers.flatMap((provider) => {
    const merged = mergeProvider(provider)
    const { id } = merged
    const postLogoutUri = `${returnUri(merged, context, "post-logout")} as post-logout redirect URI`
    const logoutUri = `${base}/backchannel-logout/${id} as back-channel logout URI, with session required`
    return [
      ...(isLogoutEnabled(merged) ? [ok("logout-state-invalid", id, postLogoutUri)] : []),
      ok("logout-token-invalid", id, logoutUri),
    ]
  })
}
