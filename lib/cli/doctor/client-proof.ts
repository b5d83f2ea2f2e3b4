/**
 * Does the provider know this client? It is asked to redeem a code that it never gave: a stranger is refused for being
 * one, and a client for the code (RFC 6749 §5.2).
 *
 * @module
 */
import type { AuthorizationServer } from "oauth4webapi"
import { envPrefix } from "../../env-name.js"
import { asError } from "../../errors.js"
import { type ReadyOAuth, requireCallable } from "../../methods/oauth/prepare.js"
import { requirementIn } from "../../methods/oauth/requirements.js"
import { randomText } from "../../security/tokens.js"
import { type DoctorFinding, fail, ok, skip } from "./finding.js"
import { type Answer, objectIn } from "./watched-fetch.js"

/** The words of RFC 6749, and those of vendors who have their own. */
const STRANGER = /invalid_client|unauthorized_client|incorrect_client_credentials|client_not_found|bad_client/i
const KNOWN = /invalid_grant|bad_verification_code|invalid_code|code.*(?:expired|not valid|not found)/i

/** Of a provider with a request of its own, nothing is known of how its tokens are asked for. */
export const canBeAsked = ({ token }: ReadyOAuth): boolean => token.request === undefined

/** Sends the request; what comes back is judged by `proofFinding`. */
export async function askForToken(
  as: AuthorizationServer,
  provider: ReadyOAuth,
  { redirectUri, fetch }: { redirectUri: string; fetch: typeof globalThis.fetch },
): Promise<void> {
  const url = as.token_endpoint
  if (!url) throw new Error("the provider names no token endpoint")
  requireCallable(url, provider)
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

/** Cut when it is masked: of a secret that was cut, the rest would stay. */
const errorIn = (answer: Answer, mask: (text: string) => string): string => {
  const { error, error_description } = objectIn(answer) ?? Object.fromEntries(new URLSearchParams(answer.text))
  return mask([error, error_description].filter((text) => typeof text === "string").join(": ")).slice(0, 200)
}

/** What the token endpoint's answer says of the client. */
export function proofFinding({ id }: ReadyOAuth, answer: Answer, mask: (text: string) => string): DoctorFinding {
  const error = errorIn(answer, mask)
  const seen = `status ${answer.status}${error && `, ${error}`}`
  const prefix = envPrefix(id)
  const required = requirementIn(error, undefined)
  if (required) return fail(required.code, id, required.hint, { seen })
  // A provider that knows the client may still dislike its code with a 401: the word counts before the number.
  if (KNOWN.test(error)) return ok("client-refused", id, "the provider knows this id and secret")
  if (STRANGER.test(error) || answer.status === 401)
    return fail("client-refused", id, "the provider refuses this id and secret: wrong, expired, or of another client", {
      seen,
      write: `${prefix}_ID=…\n${prefix}_SECRET=… a new one from the provider's console`,
    })
  if (/redirect_uri/i.test(error))
    return fail("redirect-uri-mismatch", id, "the provider knows the client, and not its redirect URI", { seen })
  return skip("client-refused", id, `whether the provider knows this id and secret can't be told: ${seen}`)
}

export const unanswered = ({ id }: ReadyOAuth, error: unknown): DoctorFinding =>
  fail("provider-unreachable", id, "the token endpoint can't be called from this machine", {
    seen: asError(error).message,
  })
