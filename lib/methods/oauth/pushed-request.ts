import * as oauth from "oauth4webapi"
import { isPlainObject } from "../../base/merge.js"
import { CodedError } from "../../errors/error-codes.js"
import { OUTBOUND_TIMEOUT_MS } from "../../security/outbound.js"
import type { ReadyOAuth } from "./prepare.js"
import { EndpointRefusal } from "./provider-errors.js"
import { requestOptions } from "./token-request.js"

/**
 * Pushes the parameters of an authorization request to the provider (RFC 9126 §2). Returns the parameters of the
 * redirect, `client_id` and `request_uri` (§4).
 *
 * @throws EndpointRefusal if the provider rejects the parameters; Error if it can't be reached
 */
export async function pushRequest(
  as: oauth.AuthorizationServer,
  params: URLSearchParams,
  provider: ReadyOAuth,
): Promise<URLSearchParams> {
  const { client, clientAuth } = provider
  const endpoint = as.pushed_authorization_request_endpoint
  if (!endpoint)
    throw new CodedError("endpoints-missing", "the provider's metadata has no pushed_authorization_request_endpoint")
  const options = requestOptions(
    { provider, fetch: provider.fetchFor(AbortSignal.timeout(OUTBOUND_TIMEOUT_MS)) },
    endpoint,
  )
  const response = await oauth.pushedAuthorizationRequest(as, client, clientAuth, params, options)
  if (response.status !== 201) throw await readRefusal(response, endpoint)
  const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, response)
  return new URLSearchParams({ client_id: client.client_id, request_uri })
}

async function readRefusal(response: Response, endpoint: string): Promise<Error> {
  const { status } = response
  const json: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(json) || typeof json["error"] !== "string")
    return new CodedError("provider-unreachable", `${endpoint} answered with status ${status}`)
  const description = json["error_description"]
  return new EndpointRefusal(json["error"], {
    endpoint: "pushed authorization request endpoint",
    status,
    description,
  })
}
