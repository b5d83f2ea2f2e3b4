/**
 * Records when passkeys were last used. The times are in the store, because the tables of Auth.js have no column for
 * them.
 *
 * @module
 */
import { AuthError, asAuthError, asError } from "../../errors/errors.js"
import { sha256Base64url } from "../../security/tokens.js"
import type { MethodRuntime } from "../method.js"

const KIND = "passkey-use"
const RETENTION_MS = 400 * 86_400_000

type UseContext = Pick<MethodRuntime, "store" | "now" | "logger">

const toKey = (credentialID: string): string => sha256Base64url(credentialID)

/** Stores the current time as the last use of a passkey. A failure is only logged, because the passkey is valid. */
export async function recordUse(credentialID: string, { store, now, logger }: UseContext): Promise<void> {
  const record = { value: String(now()), expires: new Date(now() + RETENTION_MS) }
  try {
    await store?.set(KIND, toKey(credentialID), record)
  } catch (error) {
    logger.failure(asAuthError(error) ?? new AuthError(asError(error)))
  }
}

/** Returns when a passkey was last used. Undefined if it was not used for 400 days, or without a store. */
export async function readLastUse(
  credentialID: string,
  { store }: Pick<UseContext, "store">,
): Promise<Date | undefined> {
  const record = await store?.get(KIND, toKey(credentialID))
  return record ? new Date(Number(record.value)) : undefined
}
