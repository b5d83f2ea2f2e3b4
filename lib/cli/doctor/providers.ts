import type { AuthorizationServer } from "oauth4webapi"
import { asError } from "../../errors/errors.js"
import { prepareOAuth, type ReadyOAuth } from "../../methods/oauth/prepare.js"
import { encodingsOf } from "../../methods/oauth/secret-encodings.js"
import { trackSecrets } from "../../methods/oauth/tracked-secrets.js"
import type { OAuthConfig, ProviderObject } from "../../provider-kit/provider.js"
import { boundedFetch, OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import { customFetch, readCustomFetch } from "../../symbols.js"
import { canCheckClient, proofFinding, requestToken, unansweredFinding } from "./client-proof.js"
import { clockFinding } from "./clock.js"
import type { DoctorContext } from "./context.js"
import { type Check, type DoctorFinding, fail, masked, ok, skip } from "./finding.js"
import { checkMetadata, discoveryFinding } from "./issuer.js"
import { createValueMask } from "./mask.js"
import { createRecordingFetch, parseObject, type RecordedResponse, secondsAhead } from "./recording-fetch.js"
import { redirectUri } from "./redirect-uris.js"

/** A provider of the application, with the recorded responses of its endpoints. */
interface WatchedProvider {
  readonly provider: ReadyOAuth
  readonly fetch: typeof globalThis.fetch
  readonly responses: readonly RecordedResponse[]
  /** Masks the client secret in a text, including one that a function returns. */
  readonly mask: (text: string) => string
}

const isOAuth = (provider: ProviderObject): provider is OAuthConfig =>
  provider.type === "oauth" || provider.type === "oidc"

function recordResponses(object: OAuthConfig, { resolved }: DoctorContext): WatchedProvider {
  const applicationFetch = readCustomFetch(object.options ?? {}) ?? readCustomFetch(object) ?? globalThis.fetch
  const { fetch, responses } = createRecordingFetch(applicationFetch)
  const recorded = { ...object, options: { ...object.options, [customFetch]: fetch } } as OAuthConfig
  const bounded = boundedFetch(fetch, AbortSignal.timeout(OUTBOUND_TIMEOUT_MS * 2))
  const { provider, secrets } = trackSecrets(prepareOAuth(recorded, resolved))
  return { provider, fetch: bounded, responses, mask: (text) => createValueMask(encodingsOf(secrets))(text) }
}

/** Compares the clocks. Only id_tokens depend on them. Every response, also an error, has the provider's time. */
const readClock = ({ provider, responses }: WatchedProvider): DoctorFinding[] =>
  provider.type === "oidc"
    ? clockFinding(
        provider.id,
        responses.map(secondsAhead).find((s) => s !== undefined),
      )
    : []

async function checkKeys(
  jwksUri: string | undefined,
  { provider, fetch, responses }: WatchedProvider,
): Promise<DoctorFinding[]> {
  if (provider.type !== "oidc" || !jwksUri) return []
  const unreachable = (seen: string) => [
    fail("provider-unreachable", provider.id, "the provider's keys can't be loaded, so no id_token can be verified", {
      seen,
    }),
  ]
  try {
    await fetch(jwksUri, { headers: { accept: "application/json, application/jwk-set+json" } })
  } catch (error) {
    return unreachable(asError(error).message)
  }
  const response = responses.at(-1)
  const keys = response && parseObject(response)?.["keys"]
  if (Array.isArray(keys) && keys.length > 0)
    return [ok("provider-unreachable", provider.id, keys.length === 1 ? "one key" : `${keys.length} keys`)]
  return unreachable(`${jwksUri} answered with status ${response?.status} and no keys`)
}

/** The host of a token endpoint that was discovered and is not on the issuer's own host. */
function foreignTokenHost(as: AuthorizationServer, { token }: ReadyOAuth): string | undefined {
  if (token.url !== undefined || !as.token_endpoint) return undefined
  const { host } = new URL(as.token_endpoint)
  return host === new URL(as.issuer).host ? undefined : host
}

async function checkClient(watched: WatchedProvider, context: DoctorContext): Promise<DoctorFinding[]> {
  const { provider, fetch, responses, mask } = watched
  if (!provider.client.client_id) return []
  if (!canCheckClient(provider))
    return [
      skip(
        "client-refused",
        provider.id,
        "uses a custom token request, which can't be checked: sign in once to test it",
      ),
    ]
  try {
    const as = await provider.metadata.get()
    const foreignHost = foreignTokenHost(as, provider)
    if (foreignHost)
      return [
        skip(
          "client-refused",
          provider.id,
          `its token endpoint is on another host, ${foreignHost}: the secret was not sent there`,
        ),
      ]
    await requestToken(as, provider, { redirectUri: redirectUri(provider, context), fetch })
  } catch (error) {
    return [unansweredFinding(provider, error)]
  }
  const response = responses.at(-1)
  return response ? [proofFinding(provider, response, mask)] : []
}

async function checkProvider(object: OAuthConfig, context: DoctorContext): Promise<DoctorFinding[]> {
  const watched = recordResponses(object, context)
  const found = await requestAll(watched, context)
  return found.map((finding) => masked(finding, watched.mask))
}

async function requestAll(watched: WatchedProvider, context: DoctorContext): Promise<DoctorFinding[]> {
  const { provider, responses } = watched
  try {
    const as = await provider.metadata.get()
    const isDiscovered = responses.length > 0
    const [keys, client] = [await checkKeys(as.jwks_uri, watched), await checkClient(watched, context)]
    return [...(isDiscovered ? checkMetadata(as, provider) : []), ...keys, ...readClock(watched), ...client]
  } catch (error) {
    return [discoveryFinding(provider, error, responses.at(-1)), ...readClock(watched)]
  }
}

/** True if no invalid option prevents preparing the provider. The configuration check reports invalid options. */
const isPreparable = (index: number, { problems }: DoctorContext): boolean =>
  !problems.some(({ path, isRecoverable }) => !isRecoverable && path.startsWith(`providers[${index}]`))

/** Checks the metadata and the keys of each provider, and whether it knows this client. */
export const checkProviderServers: Check = {
  group: "Providers",
  code: "provider-unreachable",
  calls: ({ providers }) => providers.some(isOAuth),
  async run(context) {
    const checkable = context.providers.filter((provider, i) => isOAuth(provider) && isPreparable(i, context))
    const found = await Promise.all(checkable.map((provider) => checkProvider(provider as OAuthConfig, context)))
    return found.flat()
  },
}
