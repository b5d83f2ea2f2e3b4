import type { AuthorizationServer } from "oauth4webapi"
import { asError } from "../../errors.js"
import { noteSecret } from "../../methods/oauth/noted-secret.js"
import { prepareOAuth, type ReadyOAuth } from "../../methods/oauth/prepare.js"
import { spellingsOfAll } from "../../methods/oauth/secret-spellings.js"
import type { OAuthConfig, ProviderObject } from "../../providers/provider.js"
import { boundedFetch, OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import { customFetch, fetchOf } from "../../symbols.js"
import { askForToken, canBeAsked, proofFinding, unanswered } from "./client-proof.js"
import { clockFinding } from "./clock.js"
import type { Examined } from "./examined.js"
import { type Check, type DoctorFinding, fail, masked, ok, skip } from "./finding.js"
import { checkMetadata, discoveryFinding } from "./issuer.js"
import { maskOf } from "./mask.js"
import { redirectUriOf } from "./redirect-uris.js"
import { type Answer, objectIn, secondsAhead, watchedFetch } from "./watched-fetch.js"

/** A provider as the application has it, and what its addresses answer. */
interface Watched {
  readonly provider: ReadyOAuth
  readonly fetch: typeof globalThis.fetch
  readonly answers: readonly Answer[]
  /** Takes the client's secret out of a text; one that a function gives, too. */
  readonly mask: (text: string) => string
}

const isOAuth = (provider: ProviderObject): provider is OAuthConfig =>
  provider.type === "oauth" || provider.type === "oidc"

function watch(object: OAuthConfig, { resolved }: Examined): Watched {
  const own = fetchOf(object.options ?? {}) ?? fetchOf(object) ?? globalThis.fetch
  const { fetch, answers } = watchedFetch(own)
  // The same provider, with its `fetch` looked at.
  const watched = { ...object, options: { ...object.options, [customFetch]: fetch } } as OAuthConfig
  const bounded = boundedFetch(fetch, AbortSignal.timeout(OUTBOUND_TIMEOUT_MS * 2))
  const { provider, secrets } = noteSecret(prepareOAuth(watched, resolved))
  return { provider, fetch: bounded, answers, mask: (text) => maskOf(spellingsOfAll(secrets))(text) }
}

/** Clocks count where tokens with times are read; any answer tells of them, errors too. */
const clockOf = ({ provider, answers }: Watched): DoctorFinding[] =>
  provider.type === "oidc"
    ? clockFinding(
        provider.id,
        answers.map(secondsAhead).find((s) => s !== undefined),
      )
    : []

async function checkKeys(jwksUri: string | undefined, { provider, fetch, answers }: Watched): Promise<DoctorFinding[]> {
  if (provider.type !== "oidc" || !jwksUri) return []
  const broken = (seen: string) => [
    fail("jwks-unreachable", provider.id, "the provider's keys can't be had, and no id_token can be verified", {
      seen,
    }),
  ]
  try {
    await fetch(jwksUri, { headers: { accept: "application/json, application/jwk-set+json" } })
  } catch (error) {
    return broken(asError(error).message)
  }
  const answer = answers.at(-1)
  const keys = answer && objectIn(answer)?.["keys"]
  if (Array.isArray(keys) && keys.length > 0)
    return [ok("jwks-unreachable", provider.id, keys.length === 1 ? "one key" : `${keys.length} keys`)]
  return broken(`${jwksUri} answered with status ${answer?.status} and no keys`)
}

/** The host of a token endpoint that was discovered and is not on the issuer's own host. */
function foreignTokenHost(as: AuthorizationServer, { token }: ReadyOAuth): string | undefined {
  if (token.url !== undefined || !as.token_endpoint) return undefined
  const { host } = new URL(as.token_endpoint)
  return host === new URL(as.issuer).host ? undefined : host
}

async function checkClient(watched: Watched, at: Examined): Promise<DoctorFinding[]> {
  const { provider, fetch, answers, mask } = watched
  if (!provider.client.client_id) return []
  if (!canBeAsked(provider))
    return [skip("client-refused", provider.id, "asks for tokens in a way of its own: sign in once to see")]
  try {
    const as = await provider.metadata.get()
    const elsewhere = foreignTokenHost(as, provider)
    if (elsewhere)
      return [
        skip(
          "client-refused",
          provider.id,
          `its metadata name a token endpoint on another host, ${elsewhere}: the secret was not sent there`,
        ),
      ]
    await askForToken(as, provider, { redirectUri: redirectUriOf(provider, at), fetch })
  } catch (error) {
    return [unanswered(provider, error)]
  }
  const answer = answers.at(-1)
  return answer ? [proofFinding(provider, answer, mask)] : []
}

async function examine(object: OAuthConfig, at: Examined): Promise<DoctorFinding[]> {
  const watched = watch(object, at)
  const found = await ask(watched, at)
  return found.map((finding) => masked(finding, watched.mask))
}

async function ask(watched: Watched, at: Examined): Promise<DoctorFinding[]> {
  const { provider, answers } = watched
  try {
    const as = await provider.metadata.get()
    const isDiscovered = answers.length > 0
    const [keys, client] = [await checkKeys(as.jwks_uri, watched), await checkClient(watched, at)]
    return [...(isDiscovered ? checkMetadata(as, provider) : []), ...keys, ...clockOf(watched), ...client]
  } catch (error) {
    return [discoveryFinding(provider, error, answers.at(-1)), ...clockOf(watched)]
  }
}

/** Those whose own options are wrong can't be prepared; that is told with the configuration. */
const isSound = (index: number, { problems }: Examined): boolean =>
  !problems.some(({ path, isServable }) => !isServable && path.startsWith(`providers[${index}]`))

/** Each provider is asked what it says of itself, for its keys, and whether it knows this client. */
export const checkProviderServers: Check = {
  group: "Providers",
  code: "provider-unreachable",
  calls: ({ providers }) => providers.some(isOAuth),
  async run(at) {
    const asked = at.providers.filter((provider, i) => isOAuth(provider) && isSound(i, at))
    const found = await Promise.all(asked.map((provider) => examine(provider as OAuthConfig, at)))
    return found.flat()
  },
}
