/**
 * Checks whether the provider knows this client, by redeeming a code that the provider never issued. The provider answers
 * `invalid_client` to an unknown client and `invalid_grant` to a known one (RFC 6749 §5.2).
 *
 * @module
 */

import type { AuthorizationServer } from "oauth4webapi"
import { envPrefix } from "../../base/text.js"
import { type ReadyOAuth, requireSecureUrl } from "../../methods/oauth/prepare.js"
import { requirementIn } from "../../methods/oauth/requirements.js"
import { randomText } from "../../security/tokens.js"
import { type DoctorFinding, fail, ok, skip } from "./check.js"
import { parseObject, type RecordedResponse } from "./responses.js"

/** The error codes of RFC 6749, and those of vendors. */
const UNKNOWN_CLIENT = /invalid_client|unauthorized_client|incorrect_client_credentials|client_not_found|bad_client/i
const KNOWN_CLIENT = /invalid_grant|bad_verification_code|invalid_code|code.*(?:expired|not valid|not found)/i

/** Sends the token request. `clientFinding` evaluates the response. */
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

/** Reads the error. It is cut only after it is masked, because a cut secret would not be recognised. */
const readError = (response: RecordedResponse, mask: (text: string) => string): string => {
  const { error, error_description } = parseObject(response) ?? Object.fromEntries(new URLSearchParams(response.text))
  return mask([error, error_description].filter((text) => typeof text === "string").join(": ")).slice(0, 200)
}

/** The finding from the response of the token endpoint. */
export function clientFinding(
  { id }: ReadyOAuth,
  response: RecordedResponse,
  mask: (text: string) => string,
): DoctorFinding {
  const error = readError(response, mask)
  const seen = `status ${response.status}${error && `, ${error}`}`
  const required = requirementIn(error, undefined)
  if (required) return fail(required.code, id, { cause: required.hint, seen })
  // A provider may refuse the code of a known client with 401, so check the error code before the status.
  if (KNOWN_CLIENT.test(error)) return ok("client-refused", id, "the provider knows this id and secret")
  if (UNKNOWN_CLIENT.test(error) || response.status === 401) {
    const prefix = envPrefix(id)
    const fix = `${prefix}_ID=…\n${prefix}_SECRET=… a new one from the provider's console`
    return fail("client-refused", id, { seen, fix })
  }
  if (/redirect_uri/i.test(error)) return fail("redirect-uri-mismatch", id, { seen })
  return skip("client-refused", id, `it is unknown whether the provider accepts this id and secret: ${seen}`)
}
