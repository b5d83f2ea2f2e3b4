/**
 * Checks whether the provider accepts the client id and secret, by redeeming an authorization code that the provider
 * never issued. The provider responds with `invalid_client` if it rejects the id or the secret, and with
 * `invalid_grant` if it accepts both (RFC 6749 §5.2).
 *
 * @module
 */

import type { AuthorizationServer } from "oauth4webapi"
import { envPrefix } from "../../base/text.js"
import { type ReadyOAuth, requireSecureUrl } from "../../methods/oauth/prepare.js"
import { requirementFromError } from "../../methods/oauth/requirements.js"
import { randomText } from "../../security/tokens.js"
import { type DoctorFinding, fail, ok, skip } from "./check.js"
import { parseObject, type RecordedResponse } from "./responses.js"

/** The error codes of RFC 6749 and of vendors, for a rejected and for an accepted client. */
const REJECTED_CLIENT = /invalid_client|unauthorized_client|incorrect_client_credentials|client_not_found|bad_client/i
const ACCEPTED_CLIENT = /invalid_grant|bad_verification_code|invalid_code|code.*(?:expired|not valid|not found)/i

/** Sends the token request with `fetch`, which records the response for `clientFinding`. */
export async function requestToken(
  as: AuthorizationServer,
  provider: ReadyOAuth,
  { redirectUri, fetch }: { redirectUri: string; fetch: typeof globalThis.fetch },
): Promise<void> {
  const url = as.token_endpoint
  if (!url) throw new Error("the provider has no token endpoint")
  requireSecureUrl(url, provider)
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code: `latchkey-doctor-${randomText()}`,
    redirect_uri: redirectUri,
    ...(provider.checks.has("pkce") && { code_verifier: randomText() }),
  })
  const headers = new Headers({ accept: "application/json" })
  await provider.clientAuth(as, provider.client, body, headers)
  await fetch(url, { method: "POST", headers, body })
}

/**
 * Returns the error in a response, masked and then truncated. If the text were truncated first, a truncated secret
 * would not be masked.
 */
const readError = (response: RecordedResponse, mask: (text: string) => string): string => {
  const { error, error_description } = parseObject(response) ?? Object.fromEntries(new URLSearchParams(response.text))
  return mask([error, error_description].filter((text) => typeof text === "string").join(": ")).slice(0, 200)
}

/** Returns the finding about the client id and secret, from the response of the token endpoint. */
export function clientFinding(
  { id }: ReadyOAuth,
  response: RecordedResponse,
  mask: (text: string) => string,
): DoctorFinding {
  const error = readError(response, mask)
  const seen = `status ${response.status}${error && `, ${error}`}`
  const required = requirementFromError(error, undefined)
  if (required) return fail(required.messageCode, id, { cause: required.hint, seen })
  // A provider that accepts the client may reject the authorization code with 401, so check the error code first.
  if (ACCEPTED_CLIENT.test(error)) return ok("client-refused", id, "the provider accepts this id and secret")
  if (REJECTED_CLIENT.test(error) || response.status === 401) {
    const prefix = envPrefix(id)
    const fix = `${prefix}_ID=…\n${prefix}_SECRET=…\nCopy both from the provider's console, or create a new secret there`
    return fail("client-refused", id, { seen, fix })
  }
  if (/redirect_uri/i.test(error)) return fail("redirect-uri-mismatch", id, { seen })
  return skip("client-refused", id, `it is unknown whether the provider accepts this id and secret: ${seen}`)
}
