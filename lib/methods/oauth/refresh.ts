import * as oauth from "oauth4webapi"
import { ReauthenticationRequired } from "../../errors/errors.js"
import type { RefreshContext } from "../../provider-kit/provider.js"
import { raceWith } from "../../security/outbound.js"
import type { RenewedTokens } from "../../tokens/renewal.js"
import type { StoredTokens } from "../../tokens/token-records.js"
import type { RenewalTiming } from "../method.js"
import { sendWithNonce } from "./dpop.js"
import type { ReadyOAuth } from "./prepare.js"
import { sanitizeProviderError } from "./provider-errors.js"
import {
  clientWithClock,
  ParsedResponse,
  parseTokenResponse,
  readProviderArgument,
  requestOptions,
  resourceParams,
  TokenRefusal,
  toTokenSet,
  withExpectedIssuer,
} from "./token-request.js"
import { trackSecrets } from "./tracked-secrets.js"

/**
 * The error codes with which providers reject a refresh token: `invalid_grant` (RFC 6749 §5.2), the codes of OpenID
 * Connect (Core §3.1.2.6) that Microsoft returns, and the codes of GitHub and Slack.
 */
const REJECTION_CODES = new Set([
  "invalid_grant",
  "interaction_required",
  "login_required",
  "consent_required",
  "bad_refresh_token",
  "invalid_refresh_token",
  "token_expired",
  "token_revoked",
])

/**
 * Requests new tokens with a refresh token (RFC 6749 §6).
 *
 * @throws ReauthenticationRequired if the provider rejects the refresh token, or returns the tokens of another user;
 * Error if the provider fails
 */
export async function refreshTokens(
  tokens: StoredTokens,
  configuredProvider: ReadyOAuth,
  timing: RenewalTiming,
): Promise<RenewedTokens> {
  const { provider, secrets } = trackSecrets(configuredProvider)
  try {
    return await requestRenewal(tokens, provider, timing)
  } catch (error) {
    const err = sanitizeProviderError(error, [tokens.refreshToken, tokens.accessToken, ...secrets])
    const facts = { provider: provider.id, err }
    if (error instanceof TokenRefusal && REJECTION_CODES.has(error.code))
      throw new ReauthenticationRequired("the provider has rejected the refresh token", facts)
    if (error instanceof SubjectMismatch)
      throw new ReauthenticationRequired("the provider has returned the tokens of another user", facts)
    throw err
  }
}

/**
 * Returns the argument `provider` of `token.refresh`. The cast is safe: the configuration check reports a missing client
 * id, and a missing client secret is "". `token.url` may be missing, as the docstring of the type states.
 */
const readRefreshArgument = async (context: Parameters<typeof readProviderArgument>[0]) =>
  (await readProviderArgument(context)) as unknown as RefreshContext["provider"]

/** The new id_token belongs to another user. */
class SubjectMismatch extends Error {}

async function requestRenewal(
  { refreshToken = "", scope, subject, dpopKey }: StoredTokens,
  provider: ReadyOAuth,
  { nowMs, deadline }: RenewalTiming,
): Promise<RenewedTokens> {
  const { client, clientAuth, fetchFor, metadata, token } = provider
  const as = await raceWith(metadata.get(), deadline)
  const fetch = fetchFor(deadline)
  const dpop = dpopKey && (await provider.findDpopHandle(dpopKey))
  const additionalParameters = resourceParams(provider)
  const options = { ...requestOptions({ provider, fetch, dpop }, as.token_endpoint), additionalParameters }
  const original = token.refresh
    ? await token.refresh({ refreshToken, provider: await readRefreshArgument({ as, provider }), fetch })
    : await sendWithNonce(dpop, () => oauth.refreshTokenGrantRequest(as, client, clientAuth, refreshToken, options))
  const response = (await token.conform?.(original.clone())) ?? original
  const { id_token, ...json } = await parseTokenResponse(response, { as, dpop })
  const parsed = new ParsedResponse(provider.usesIdToken && id_token !== undefined ? { ...json, id_token } : json)
  const server = withExpectedIssuer({ as, provider }, id_token)
  const result = await oauth.processRefreshTokenResponse(server, clientWithClock(provider, nowMs), parsed)
  // OpenID Connect Core §12.2: a new id_token must have the same `sub`. Its signature is not verified, because it comes
  // directly from the provider (§3.1.3.7).
  const { sub = subject } = oauth.getValidatedIdTokenClaims(result) ?? {}
  // `subject` is the `sub` of the earlier id_token, and undefined if none was stored. Then there is nothing to compare.
  if (subject !== undefined && sub !== subject)
    throw new SubjectMismatch("the id_token of the renewal belongs to another user")
  const renewed = toTokenSet(json, result.access_token, nowMs)
  return {
    accessToken: result.access_token,
    tokenType: renewed.token_type,
    refreshToken: renewed.refresh_token || undefined,
    scope: renewed.scope || scope,
    issuedAt: nowMs,
    expiresAt: renewed.expires_at === undefined ? undefined : renewed.expires_at * 1000,
  }
}
