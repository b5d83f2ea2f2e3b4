/**
 * Session ids. An id is random text. It begins with "~" if the session was created without a store. If the session's
 * token contains no id, the id is "~" and a hash.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { sha256Base64url } from "./tokens.js"

const UNREGISTERED = "~"
const ID_BYTES = 16

/** Creates a random session id. `isRegistered` is false for a session that is created without a store. */
export const createSessionId = (isRegistered: boolean): string =>
  (isRegistered ? "" : UNREGISTERED) + randomBytes(ID_BYTES).toString("base64url")

/**
 * Creates the id of a session whose token contains no id, such as a session of Auth.js. `text` must be unique to the
 * session.
 */
export const hashToSessionId = (text: string): string => UNREGISTERED + sha256Base64url(text)

/**
 * True if the id begins with "~", so that the session may have been created without a store. If the session has no
 * record, it is registered when it is first used with a store.
 */
export const mayBeUnregistered = (id: string): boolean => id.startsWith(UNREGISTERED)

/** True if the text has the format of a session id. */
export const isSessionId = (text: string): boolean => /^~?[\w-]{22,43}$/.test(text)
