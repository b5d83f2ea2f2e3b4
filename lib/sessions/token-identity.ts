/**
 * Reads the id and the owner of encrypted sessions, including sessions that Auth.js created.
 *
 * @module
 */
import type { SessionAuthentication } from "../base/types.js"
import { hashToSessionId } from "../security/session-id.js"
import { formatIdAndOwner, parseAuthentication, parseId, parseOwner } from "./authentication.js"
import { readSubject } from "./claims.js"
import type { OpenedToken } from "./tokens.js"

/** Returns how the session was opened; undefined if its token does not state that, such as a token of Auth.js. */
export const readAuthentication = (found: OpenedToken | undefined): SessionAuthentication | undefined =>
  parseAuthentication(found?.claims.session_authentication)

/** Reads the id and the owner of a session from its token. */
export interface TokenIdentity {
  /**
   * Returns the session's id. A token of Auth.js contains no id: the id is then a hash, or undefined if there is no
   * registry.
   */
  id(found: OpenedToken): string | undefined
  /**
   * Returns the session's owner. If the token contains no owner, the owner is the user in `sub`, or undefined if there
   * is no adapter.
   */
  owner(found: OpenedToken): string | undefined
  /**
   * Returns the claim `session_authentication` for a renewed token; undefined if the session has no id. For a session
   * of Auth.js, the claim contains only the id and the owner, so that the renewed session has the same record.
   */
  authenticationText(found: OpenedToken): string | undefined
}

export function createTokenIdentity({
  hasRegistry,
  hasAdapter,
}: {
  readonly hasRegistry: boolean
  readonly hasAdapter: boolean
}): TokenIdentity {
  const id = ({ claims, value }: OpenedToken): string | undefined =>
    parseId(claims.session_authentication) ??
    (hasRegistry ? hashToSessionId(typeof claims.jti === "string" ? claims.jti : value) : undefined)
  const owner = ({ claims }: OpenedToken): string | undefined =>
    parseOwner(claims.session_authentication) ?? (hasAdapter ? readSubject(claims) : undefined)
  return {
    id,
    owner,
    authenticationText(found) {
      const { session_authentication } = found.claims
      if (typeof session_authentication === "string" && parseId(session_authentication) !== undefined)
        return session_authentication
      const sessionId = id(found)
      return sessionId === undefined ? undefined : formatIdAndOwner(sessionId, owner(found))
    },
  }
}
