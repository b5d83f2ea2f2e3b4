import { currentUser, predatesVerification } from "../../accounts/current-user.js"
import type { AdapterUser } from "../../adapters/adapter.js"
import type { CookieChange, User } from "../../base/types.js"
import type { AuthCall } from "../../http/call.js"
import type { MethodRuntime } from "../method.js"
import { passkeyAdapter } from "./passkey-adapter.js"
import type { ReadyWebAuthn } from "./prepare.js"
import { providerContext } from "./relying-party.js"

/** The user for whom a ceremony is requested, as far as known. */
export type PasskeySubject =
  | { readonly is: "none" }
  | { readonly is: "known"; readonly user: AdapterUser }
  | { readonly is: "new"; readonly user: Omit<User, "id"> }

/** Returns the current user if it is in the adapter, and if the session was not created before the address was verified. */
export async function signedInUser(call: AuthCall, runtime: MethodRuntime): Promise<AdapterUser | null> {
  const { sessions } = runtime
  const currentId = () => sessions.currentUserId(call)
  const user = await currentUser({ adapter: passkeyAdapter(runtime), currentId, runtime })
  return user && predatesVerification(user, await sessions.verifiedEmail(call)) ? null : user
}

/** The current user, and the cookie changes from reading the session. */
export interface Reader {
  readonly user: AdapterUser | null
  /** The id of the session, see `SessionRead`. */
  readonly sessionId: string | undefined
  readonly cookies: readonly CookieChange[]
}

/** Returns the current user after the `jwt` callback, which may end or change the session. */
export async function readSignedIn(call: AuthCall, runtime: MethodRuntime): Promise<Reader> {
  const { session, cookies, id: sessionId } = await runtime.sessions.read(call, { mode: "read" })
  return { user: session && (await signedInUser(call, runtime)), sessionId, cookies }
}

const MAX_ADDRESS_LENGTH = 254
/** Excludes invisible characters, which would make two addresses look the same. */
const ADDRESS = /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u

/** Converts the address to lower case. An invalid address is removed. */
function withAddress(call: AuthCall): AuthCall {
  const { email, ...query } = call.query
  if (email === undefined) return call
  const address = email.trim().toLowerCase()
  const isAddress = address.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(address)
  return { ...call, query: isAddress ? { ...query, email: address } : query }
}

/** Determines the subject of a request with the provider's `getUserInfo`. */
export async function resolveSubject(
  call: AuthCall,
  provider: ReadyWebAuthn,
  runtime: MethodRuntime,
): Promise<PasskeySubject> {
  const { options, request } = providerContext(withAddress(call), provider, runtime)
  const info = await provider.source.getUserInfo(options, request)
  if (!info) return { is: "none" }
  return info.exists ? { is: "known", user: info.user } : { is: "new", user: info.user }
}
