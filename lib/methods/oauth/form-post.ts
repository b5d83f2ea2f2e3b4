/**
 * `response_mode=form_post` (OAuth 2.0 Form Post Response Mode): a page of the provider posts the response to the
 * callback. Browsers send no `SameSite=Lax` cookies with a POST from another site. So the POST is redirected to a GET
 * of the same callback, which carries the cookies and has the sealed response in its query. No cookie needs
 * `SameSite=None`.
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
/** The lifetime of a sealed response, which is needed for one redirect. */
const MAX_AGE_SECONDS = 60
/** The parameters to forward (RFC 6749 §4.1.2, RFC 9207, OpenID Connect, Apple's `user`). All others are dropped. */
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
/** The number of characters to which a value is truncated, because the response becomes part of a URL. */
const MAX_VALUE_LENGTH = 4096

/** Redirects a POST of the callback to a GET of the same callback, with the sealed response in the query. */
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
 * Returns the parameters of the sealed response. Without a valid seal there are no parameters, because a provider with
 * this response mode must not use another mode.
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
  /** The names that were posted more than once. Undefined if an older version of this package sealed the response. */
  readonly repeated?: readonly string[]
}

/** Decrypts a sealed response. Returns undefined if the seal is invalid, has expired, or is for another provider. */
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
