/**
 * `response_mode=form_post` (OAuth 2.0 Form Post Response Mode): the answer comes as a POST from another site, to which
 * browsers attach no `SameSite=Lax` cookie. It is sealed and sent back to us by a redirect, and then all cookies come
 * along: none of them needs `SameSite=None`.
 *
 * @module
 */
import type { AuthCall } from "../../http/call.js"
import type { Reply } from "../../http/reply.js"
import type { Runtime } from "../../runtime.js"
import { readClaims, SealError, seal, unseal } from "../../security/jwe.js"
import type { ReadyOAuth } from "./prepare.js"

const PURPOSE = "latchkey.form_post"
const PARAMETER = "form_post"
/** Time for one redirect. */
const MAX_AGE_SECONDS = 60
/** What an answer may have (RFC 6749 §4.1.2, RFC 9207, OpenID Connect, Apple's `user`); the rest stays behind. */
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

/** Sends a posted answer back to us as a GET. */
export function toGet(call: AuthCall, provider: ReadyOAuth, runtime: Runtime): Reply {
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
 * The call with a sealed answer's parameters as its query; none when it does not open. A provider of this mode is
 * believed in no other.
 */
export function withPostedParams(call: AuthCall, provider: ReadyOAuth, runtime: Runtime): AuthCall {
  const { params = {}, repeated = [] } = openAnswer(call.query[PARAMETER], provider, runtime) ?? {}
  return { ...call, query: params, repeatedFields: repeated }
}

interface PostedAnswer {
  readonly params: Record<string, string>
  /** Names that were posted more than once. A deployment's older version, whose answers are under way, does not say. */
  readonly repeated?: readonly string[]
}

function openAnswer(sealed: string | undefined, provider: ReadyOAuth, runtime: Runtime): PostedAnswer | undefined {
  const claims = sealed && readClaims(unseal(sealed, runtime.keys.for(PURPOSE)), runtime.now())
  if (!claims || claims instanceof SealError || claims["provider"] !== provider.id) return undefined
  // Sealed above: every value is text.
  return claims as unknown as PostedAnswer
}
