/**
 * The id and the owner of encrypted sessions, also of those that Auth.js created.
 *
 * @module
 */
import type { SessionOrigin } from "../base/types.js"
import { hashToSessionId } from "../security/session-id.js"
import { readSubject } from "./claims.js"
import { formatId, parseId, parseOrigin, parseOwner } from "./origin.js"
import type { OpenedToken } from "./tokens.js"

/** How the session was opened; undefined for a session from before origins existed. */
export const readOrigin = (found: OpenedToken | undefined): SessionOrigin | undefined =>
  parseOrigin(found?.claims.session_origin)

/** Reads the names of a session from its token. */
export interface TokenNames {
  /** The session's id, see `session-id.ts`. Undefined for a session of Auth.js if there is no store. */
  id(found: OpenedToken): string | undefined
  /** Sessions from before origins existed belong to the user in `sub`, which is the adapter's id if there is one. */
  owner(found: OpenedToken): string | undefined
  /** The claim `session_origin`. A session of Auth.js gets an id when it is renewed, so that it keeps its record. */
  originText(found: OpenedToken): string | undefined
}

export function createTokenNames({
  hasRegistry,
  hasAdapter,
}: {
  readonly hasRegistry: boolean
  readonly hasAdapter: boolean
}): TokenNames {
  const id = ({ claims, value }: OpenedToken): string | undefined =>
    parseId(claims.session_origin) ??
    (hasRegistry ? hashToSessionId(typeof claims.jti === "string" ? claims.jti : value) : undefined)
  const owner = ({ claims }: OpenedToken): string | undefined =>
    parseOwner(claims.session_origin) ?? (hasAdapter ? readSubject(claims) : undefined)
  return {
    id,
    owner,
    originText(found) {
      const { session_origin } = found.claims
      if (typeof session_origin === "string" && parseId(session_origin) !== undefined) return session_origin
      const sessionId = id(found)
      return sessionId === undefined ? undefined : formatId(sessionId, owner(found))
    },
  }
}
