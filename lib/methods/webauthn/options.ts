import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { AdapterAuthenticator, AdapterUser } from "../../adapters/adapter.js"
import type { AuthCall } from "../../http/call.js"
import { json, type Reply, withCookies } from "../../http/reply.js"
import type { Runtime } from "../../runtime.js"
import type { User } from "../../types.js"
import { type Ceremony, putCeremony } from "./challenge.js"
import { decideCeremony } from "./decide-ceremony.js"
import { withDecoys } from "./decoys.js"
import { parseTransports, toJson } from "./encoding.js"
import { loadLibrary } from "./library.js"
import { type Person, personOf, readSignedIn } from "./person.js"
import type { ReadyWebAuthn } from "./prepare.js"
import { relyingPartyOf } from "./relying-party.js"
import { passkeyStore, passkeysOf } from "./store.js"

interface Context {
  readonly call: AuthCall
  readonly provider: ReadyWebAuthn
  readonly runtime: Runtime
  /** The user who is signed in. */
  readonly current: AdapterUser | null
  readonly person: Person
}

type Refusal = "Invalid action" | "Invalid request"

const refuse = (error: Refusal): Reply => json({ error }, [], 400)

/**
 * How long a stranger waits who names somebody: what a store has takes longer to read than what it has not, and beside
 * this nobody can tell by how much.
 */
const STRANGER_WAIT_MS = 10

/** Answers GET webauthn-options/:id: what the browser needs to begin a ceremony (WebAuthn §5.4, §5.5). */
export async function webauthnOptions(call: AuthCall, provider: ReadyWebAuthn, runtime: Runtime): Promise<Reply> {
  const { action } = call.query
  if (action !== undefined && action !== "authenticate" && action !== "register") return refuse("Invalid action")
  const { user: current, cookies } = await readSignedIn(call, runtime)
  const { revealsAccounts } = provider
  const wait = current || revealsAccounts ? undefined : pause(STRANGER_WAIT_MS)
  const person: Person = current ? { is: "known", user: current } : await personOf(call, provider, runtime)
  const context = { call, provider, runtime, current, person }
  const ceremony = decideCeremony({ asked: action, isSignedIn: current !== null, person: person.is, revealsAccounts })
  const reply = await (ceremony === undefined ? refuse("Invalid request") : BEGIN[ceremony](context))
  if (person.is !== "none") await wait
  return withCookies(cookies, reply)
}

const listed = ({ credentialID, transports }: AdapterAuthenticator) => {
  const names = parseTransports(transports)
  return { id: toJson(credentialID), ...(names && { transports: names }) }
}

const namedPasskeys = async (user: AdapterUser, runtime: Runtime) => (await passkeysOf(user, runtime)).map(listed)

/** Browsers find passkeys by themselves; other keys must be named, without showing whether the address has a user. */
async function allowedPasskeys({ current, person, provider, runtime }: Context) {
  if (current) return namedPasskeys(current, runtime)
  if (person.is === "none" || provider.ceremony.isDiscoverable) return undefined
  const known = person.is === "known" ? await namedPasskeys(person.user, runtime) : await noPasskeys(runtime)
  if (provider.revealsAccounts) return known
  const decoys = { email: String(person.user.email ?? ""), purpose: provider.decoyPurpose, keys: runtime.keys }
  // Without transports, which differ from key to key.
  return withDecoys(
    known.map(({ id }) => id),
    decoys,
  ).map((id) => ({ id }))
}

/** Reads the store all the same: an answer without it would be quicker, and show that there is no such user. */
async function noPasskeys(runtime: Runtime): Promise<ReturnType<typeof listed>[]> {
  // By a passkey's id, which is text everywhere: other adapters may know users by numbers.
  await passkeyStore(runtime).getAuthenticator(randomBytes(32).toString("base64"))
  return []
}

/** The challenge comes back with the browser's answer, and so tells which flow that is. */
function tellBeginning({ call, provider, runtime }: Context, { challenge }: Ceremony, what: string): void {
  const { story } = call
  if (!story) return
  story.identify(challenge, 1)
  story.tell("webauthn", `the browser ${what}, for the relying party ${relyingPartyOf(call, provider, runtime).id}`)
}

async function beginAuthentication(context: Context): Promise<Reply> {
  const { call, provider, runtime } = context
  const { id: rpID } = relyingPartyOf(call, provider, runtime)
  const allowCredentials = await allowedPasskeys(context)
  const options = await loadLibrary().generateAuthenticationOptions({
    userVerification: provider.userVerification.authenticate ? "required" : "preferred",
    ...provider.source.authenticationOptions,
    rpID,
    ...(allowCredentials && { allowCredentials }),
  })
  const ceremony = { provider: provider.id, action: "authenticate", challenge: options.challenge } as const
  tellBeginning(context, ceremony, `may answer with ${allowCredentials ? "a passkey that is named" : "any passkey"}`)
  return json({ action: "authenticate", options }, putCeremony(ceremony, call, runtime))
}

/** Whom a registration is for, and how the authenticator calls them. */
function registrant({ current, person }: Context): { user: Omit<User, "id">; account: string } | undefined {
  const user = current ?? (person.is === "none" ? undefined : person.user)
  const account = user?.email ?? (current ? (current.name ?? current.id) : undefined)
  if (!user || !account) return undefined
  // A stranger who names the address of somebody else learns and brings nothing of that user.
  return { user: current === null && person.is === "known" ? { email: user.email } : user, account }
}

async function beginRegistration(context: Context): Promise<Reply> {
  const { call, provider, runtime, current } = context
  const found = registrant(context)
  if (!found) return refuse("Invalid request")
  const { id: rpID, name: rpName } = relyingPartyOf(call, provider, runtime)
  const { authenticatorSelection, ...given } = provider.source.registrationOptions ?? {}
  const options = await loadLibrary().generateRegistrationOptions({
    ...given,
    authenticatorSelection: {
      residentKey: "preferred",
      userVerification: provider.userVerification.register ? "required" : "preferred",
      ...authenticatorSelection,
    },
    // No attestation that certifies a key is accepted.
    attestationType: "none",
    rpID,
    rpName,
    userID: new Uint8Array(randomBytes(32)),
    userName: found.account,
    userDisplayName: found.user.name ?? "",
    excludeCredentials: current ? await namedPasskeys(current, runtime) : [],
  })
  const ceremony = {
    provider: provider.id,
    action: "register",
    challenge: options.challenge,
    // Of a user the id is enough: pictures can be larger than a cookie.
    ...(current ? { userId: String(current.id) } : { user: found.user }),
  } as const
  tellBeginning(context, ceremony, `registers a passkey for ${current ? "who is signed in" : "somebody new"}`)
  return json({ action: "register", options }, putCeremony(ceremony, call, runtime))
}

const BEGIN = { authenticate: beginAuthentication, register: beginRegistration }
