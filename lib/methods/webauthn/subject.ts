import { currentUser, predatesVerification } from "../../accounts/current-user.js"
import type { AdapterUser } from "../../adapters/adapter.js"
import type { CookieChange, User } from "../../base/types.js"
import type { AuthCall } from "../../http/call.js"
import type { MethodRuntime } from "../method.js"
import { passkeyAdapter } from "./passkey-adapter.js"
import type { ReadyWebAuthn } from "./prepare.js"
import { providerContext } from "./relying-party.js"

/** The user for whom a ceremony is requested: no user, a stored user, or a new user. */
export type PasskeySubject =
  | { readonly is: "none" }
  | { readonly is: "known"; readonly user: AdapterUser }
  | { readonly is: "new"; readonly user: Omit<User, "id"> }

/**
 * Returns the current user. Null without a session, or if the adapter does not have the user. Also null if the session
 * was created before the user's address was verified, because such a session may belong to an attacker.
 */
export async function currentUserIfTrusted(call: AuthCall, runtime: MethodRuntime): Promise<AdapterUser | null> {
  const { sessions } = runtime
  const currentId = () => sessions.currentUserId(call)
  const user = await currentUser({ adapter: passkeyAdapter(runtime), currentId, runtime })
  return user && predatesVerification(user, await sessions.verifiedEmail(call)) ? null : user
}

/** The current user, and the cookie changes from reading the session. */
export interface CurrentUserRead {
  readonly user: AdapterUser | null
  /** The id of the session, see `SessionRead`. */
  readonly sessionId: string | undefined
  readonly cookies: readonly CookieChange[]
}

/** Reads the session and returns the current user. Reading runs the `jwt` callback, which may end the session. */
export async function readCurrentUser(call: AuthCall, runtime: MethodRuntime): Promise<CurrentUserRead> {
  const { session, cookies, id: sessionId } = await runtime.sessions.read(call, { mode: "read" })
  return { user: session && (await currentUserIfTrusted(call, runtime)), sessionId, cookies }
}

const MAX_ADDRESS_LENGTH = 254
/** Excludes invisible characters, which would make two addresses look the same. */
const ADDRESS = /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u

/** Returns the call with the email address of its query in lower case, or without the address if it is invalid. */
function withNormalizedAddress(call: AuthCall): AuthCall {
  const { email, ...query } = call.query
  if (email === undefined) return call
  const address = email.trim().toLowerCase()
  const isAddress = address.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(address)
  return { ...call, query: isAddress ? { ...query, email: address } : query }
}

/** Finds the user for whom a request starts a ceremony, with the provider's `getUserInfo`. */
export async function resolveSubject(
  call: AuthCall,
  provider: ReadyWebAuthn,
  runtime: MethodRuntime,
): Promise<PasskeySubject> {
  const { options, request } = providerContext(withNormalizedAddress(call), provider, runtime)
  const info = await provider.source.getUserInfo(options, request)
  if (!info) return { is: "none" }
  return info.exists ? { is: "known", user: info.user } : { is: "new", user: info.user }
}
