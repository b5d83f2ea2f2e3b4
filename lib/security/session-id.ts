/**
 * The ids of sessions: random text, or for a session that was created without a store, "~" and random text or a hash.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { sha256Base64url } from "./tokens.js"

const UNREGISTERED = "~"
const ID_BYTES = 16

/** Creates a session's id. Without a store the session is not registered yet. */
export const createSessionId = (isRegistered: boolean): string =>
  (isRegistered ? "" : UNREGISTERED) + randomBytes(ID_BYTES).toString("base64url")

/** The id of a session that has none, such as one of Auth.js: a hash of something that only this session has. */
export const hashToSessionId = (text: string): string => UNREGISTERED + sha256Base64url(text)

/** True for a session that was created without a store. It is registered when it is first used with a store. */
export const isUnregisteredId = (id: string): boolean => id.startsWith(UNREGISTERED)

/** True for the ids of this module. A store accepts no others. */
export const isSessionId = (text: string): boolean => /^~?[\w-]{22,43}$/.test(text)
