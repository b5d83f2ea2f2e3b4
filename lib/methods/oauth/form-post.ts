/**
 * `response_mode=form_post` (OAuth 2.0 Form Post Response Mode): the response is a POST from another site, so browsers
 * send no `SameSite=Lax` cookie with it. The response is sealed, and the browser is redirected to the callback with it
 * as a GET that carries all cookies. No cookie needs `SameSite=None`.
 *
 * @module
 */

import type { AuthCall } from "../../http/call.js"
import type { Reply } from "../../http/reply.js"
import { readClaims, SealError, seal, unseal } from "../../security/jwe.js"
import type { MethodRuntime } from "../method.js"
import type { ReadyOAuth } from "./prepare.js"

const PURPOSE = "latchkey.form_post"
const PARAMETER = "form_post"
/** Long enough for one redirect. */
const MAX_AGE_SECONDS = 60
/** The parameters of a response (RFC 6749 §4.1.2, RFC 9207, OpenID Connect, Apple's `user`). Others are dropped. */
const FORWARDED = [
  "code",
  "state",
  "iss",
  "session_state",
  "error",
  "error_description",
  "user",
  "response",
  "id_token",
  "token",
] as const
const MAX_VALUE_LENGTH = 4096

/** Redirects a posted response to the same callback as a GET. */
export function redirectPostToGet(call: AuthCall, provider: ReadyOAuth, runtime: MethodRuntime): Reply {
  const params = Object.fromEntries(
    FORWARDED.flatMap((name) => {
      const value = call.body[name]
      return typeof value === "string" ? [[name, value.slice(0, MAX_VALUE_LENGTH)]] : []
    }),
  )
  const repeated = FORWARDED.filter((name) => call.repeatedFields.includes(name))
  const claims = { provider: provider.id, params, repeated }
  const sealed = seal(claims, runtime.keys.for(PURPOSE), MAX_AGE_SECONDS, runtime.now())
  return { status: 303, location: `${call.base}/callback/${provider.id}?${PARAMETER}=${sealed}`, cookies: [] }
}

/**
 * Returns the parameters of the sealed response. There are none if the seal is invalid: a provider with this response
 * mode must not respond in another one.
 */
export function openPostedResponse(
  call: AuthCall,
  provider: ReadyOAuth,
  runtime: MethodRuntime,
): Pick<AuthCall, "query" | "repeatedFields"> {
  const { params = {}, repeated = [] } = unsealResponse(call.query[PARAMETER], provider, runtime) ?? {}
  return { query: params, repeatedFields: repeated }
}

interface PostedResponse {
  readonly params: Record<string, string>
  /**
   * Names that were posted more than once. Responses that an older version of this package sealed do not have this
   * member.
   */
  readonly repeated?: readonly string[]
}

function unsealResponse(
  sealed: string | undefined,
  provider: ReadyOAuth,
  runtime: MethodRuntime,
): PostedResponse | undefined {
  const claims = sealed && readClaims(unseal(sealed, runtime.keys.for(PURPOSE)), runtime.now())
  if (!claims || claims instanceof SealError || claims["provider"] !== provider.id) return undefined
  // `redirectPostToGet` sealed it, so every value is a string.
  return claims as unknown as PostedResponse
}
