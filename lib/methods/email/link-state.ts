/**
 * The state in the URL of a sign-in link: the return URL, and the user's choices. The state is sealed, because anyone
 * who requests a link could otherwise insert readable text into an email from this site.
 *
 * @module
 */

import type { AuthCall } from "../../http/call.js"
import { readClaims, SealError, seal, unseal } from "../../security/jwe.js"
import type { MethodRuntime, PendingFlow } from "../method.js"
import type { ReadyEmail } from "./prepare.js"

const PURPOSE = "latchkey.email-link-state"

type SealedState = Pick<PendingFlow, "callbackUrl" | "remember" | "isReauthentication">

export function sealLinkState(
  { callbackUrl, remember, isReauthentication }: AuthCall,
  { maxAgeSeconds }: ReadyEmail,
  { keys, now }: MethodRuntime,
): string {
  const state = { callbackUrl, ...(remember && { remember }), ...(isReauthentication && { isReauthentication }) }
  return seal(state, keys.for(PURPOSE), maxAgeSeconds, now())
}

/** Reads the state of a link. Empty without a valid state, as in links of Auth.js and in the confirmation form. */
export function readLinkState({ query }: AuthCall, { keys, now }: MethodRuntime): SealedState {
  const claims = query["state"] === undefined ? undefined : readClaims(unseal(query["state"], keys.for(PURPOSE)), now())
  if (!claims || claims instanceof SealError) return {}
  const { callbackUrl, remember, isReauthentication } = claims
  return {
    ...(typeof callbackUrl === "string" && { callbackUrl }),
    remember: remember === true,
    isReauthentication: isReauthentication === true,
  }
}
