import { currentUser, isFromBeforeProof } from "../../accounts/current-user.js"
import type { AdapterUser } from "../../adapters/adapter.js"
import type { AuthCall } from "../../http/call.js"
import type { CookieChange } from "../../http/cookies.js"
import type { Runtime } from "../../runtime.js"
import type { User } from "../../types.js"
import type { ReadyWebAuthn } from "./prepare.js"
import { providerContext } from "./relying-party.js"
import { passkeyStore } from "./store.js"

/** Who asks for a ceremony, as far as it is known. */
export type Person =
  | { readonly is: "none" }
  | { readonly is: "known"; readonly user: AdapterUser }
  | { readonly is: "new"; readonly user: Omit<User, "id"> }

/** The current user, if the adapter has the user, and if the session may still change the user's passkeys. */
export async function signedInUser(call: AuthCall, runtime: Runtime): Promise<AdapterUser | null> {
  const { sessions } = runtime
  const currentId = () => sessions.currentUserId(call)
  const user = await currentUser({ store: passkeyStore(runtime), currentId, runtime })
  return user && isFromBeforeProof(user, await sessions.provenEmail(call)) ? null : user
}

/** Who is signed in, with what reading that changes of the session. */
export interface Reader {
  readonly user: AdapterUser | null
  readonly cookies: readonly CookieChange[]
}

/** The same as the application sees it: its `jwt` callback may have ended the session, and changes are kept. */
export async function readSignedIn(call: AuthCall, runtime: Runtime): Promise<Reader> {
  const { session, cookies } = await runtime.sessions.read(call, { mode: "read" })
  return { user: session && (await signedInUser(call, runtime)), cookies }
}

const MAX_ADDRESS_LENGTH = 254
/** Of characters that can be seen: with others one address would look like another. */
const ADDRESS = /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+$/u

/** In small letters as everywhere else; what is no address counts as none. */
function withAddress(call: AuthCall): AuthCall {
  const { email, ...query } = call.query
  if (email === undefined) return call
  const address = email.trim().toLowerCase()
  const isAddress = address.length <= MAX_ADDRESS_LENGTH && ADDRESS.test(address)
  return { ...call, query: isAddress ? { ...query, email: address } : query }
}

/** What the provider's `getUserInfo` makes of the request. */
export async function personOf(call: AuthCall, provider: ReadyWebAuthn, runtime: Runtime): Promise<Person> {
  const { options, request } = providerContext(withAddress(call), provider, runtime)
  const info = await provider.source.getUserInfo(options, request)
  if (!info) return { is: "none" }
  return info.exists ? { is: "known", user: info.user } : { is: "new", user: info.user }
}
