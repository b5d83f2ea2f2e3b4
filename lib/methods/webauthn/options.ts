import { hkdfSync, randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { AdapterAuthenticator, AdapterUser } from "../../adapters/adapter.js"
import type { User } from "../../base/types.js"
import type { AuthCall } from "../../http/call.js"
import { json, type Reply, withCookies } from "../../http/reply.js"
import type { Keyring } from "../../security/keys.js"
import type { MethodRuntime } from "../method.js"
import { type Ceremony, putCeremony } from "./challenge.js"
import { parseTransports, toJson } from "./encoding.js"
import { loadLibrary } from "./library.js"
import { listUserPasskeys, passkeyAdapter } from "./passkey-adapter.js"
import type { ReadyWebAuthn } from "./prepare.js"
import { resolveRelyingParty } from "./relying-party.js"
import { type PasskeySubject, readSignedIn, resolveSubject } from "./subject.js"

/** The lengths of the ids in a list, in bytes. Common authenticators create ids of these lengths. */
const LENGTHS = [16, 16, 20, 20, 32, 32, 48, 64, 64]
const TOTAL_LENGTH = LENGTHS.reduce((sum, length) => sum + length, 0)

/** Creates one id per length. The ids of an address are always the same. */
function createDecoys(email: string, purpose: string, { secrets }: Keyring): Buffer[] {
  // The oldest secret is used, because decoys must not change when a new secret is added, just as real ids do not.
  const bytes = Buffer.from(hkdfSync("sha256", secrets.at(-1) ?? "", email, purpose, TOTAL_LENGTH))
  const starts = LENGTHS.map((_, i) => LENGTHS.slice(0, i).reduce((sum, length) => sum + length, 0))
  return LENGTHS.map((length, i) => bytes.subarray(starts[i], (starts[i] ?? 0) + length))
}

/** Replaces the decoys of matching length with the user's ids. All ids are base64url. */
function withDecoys(
  ids: readonly string[],
  { email, purpose, keys }: { readonly email: string; readonly purpose: string; readonly keys: Keyring },
): string[] {
  const remaining = [...ids]
  const list = createDecoys(email, purpose, keys).map((decoy) => {
    const index = remaining.findIndex((id) => Buffer.byteLength(id, "base64url") === decoy.length)
    const [id = decoy.toString("base64url")] = index < 0 ? [] : remaining.splice(index, 1)
    return id
  })
  return [...list, ...remaining]
}

/** The facts about a request for the options of a ceremony. */
export interface CeremonyFacts {
  /** The requested ceremony; undefined lets us choose. */
  readonly requested: "authenticate" | "register" | undefined
  readonly isSignedIn: boolean
  /** For a visitor without a session: no address, the address of a user, or an address without a user. */
  readonly subject: "none" | "known" | "new"
  /** True if the response may reveal whether an address has a user. */
  readonly revealsAccounts: boolean
}

/**
 * Decides which ceremony to start; undefined for none. A pure function.
 *
 * Unless `revealsAccounts` is set, visitors get the same response for every address: a registration for an existing
 * user is rejected at its end, and a sign-in is offered for unknown addresses too.
 */
export function decideCeremony(facts: CeremonyFacts): "authenticate" | "register" | undefined {
  const { requested, isSignedIn, subject, revealsAccounts } = facts
  if (requested === "authenticate") return "authenticate"
  if (requested === "register") {
    if (isSignedIn) return "register"
    return subject === "none" || (subject === "known" && revealsAccounts) ? undefined : "register"
  }
  if (isSignedIn) return undefined
  return subject === "new" && revealsAccounts ? "register" : "authenticate"
}

interface OptionsContext {
  readonly call: AuthCall
  readonly provider: ReadyWebAuthn
  readonly runtime: MethodRuntime
  /** The current user. Null for a visitor. */
  readonly current: AdapterUser | null
  readonly subject: PasskeySubject
}

type Refusal = "Invalid action" | "Invalid request"

const refuse = (error: Refusal): Reply => json({ error }, [], 400)

/**
 * The minimum response time for requests with an email address. It hides how long the adapter takes for known addresses.
 */
const MIN_RESPONSE_MS = 10

/** Handles GET webauthn-options/:id: the options that start a ceremony in the browser (WebAuthn §5.4, §5.5). */
export async function webauthnOptions(call: AuthCall, provider: ReadyWebAuthn, runtime: MethodRuntime): Promise<Reply> {
  const { action } = call.query
  if (action !== undefined && action !== "authenticate" && action !== "register") return refuse("Invalid action")
  const { user: current, cookies } = await readSignedIn(call, runtime)
  const { revealsAccounts } = provider
  const minimumTime = current || revealsAccounts ? undefined : pause(MIN_RESPONSE_MS)
  const subject: PasskeySubject = current
    ? { is: "known", user: current }
    : await resolveSubject(call, provider, runtime)
  const context = { call, provider, runtime, current, subject }
  const ceremony = decideCeremony({
    requested: action,
    isSignedIn: current !== null,
    subject: subject.is,
    revealsAccounts,
  })
  const reply = await (ceremony === undefined ? refuse("Invalid request") : BEGIN[ceremony](context))
  if (subject.is !== "none") await minimumTime
  return withCookies(cookies, reply)
}

const toDescriptor = ({ credentialID, transports }: AdapterAuthenticator) => {
  const names = parseTransports(transports)
  return { id: toJson(credentialID), ...(names && { transports: names }) }
}

const listDescriptors = async (user: AdapterUser, runtime: MethodRuntime) =>
  (await listUserPasskeys(user, runtime)).map(toDescriptor)

/**
 * Lists the credentials that may be used. Discoverable credentials need no list. A list must not reveal whether the
 * address has a user.
 */
async function allowedPasskeys({ current, subject, provider, runtime }: OptionsContext) {
  if (current) return listDescriptors(current, runtime)
  if (subject.is === "none" || provider.ceremony.isDiscoverable) return undefined
  const known = subject.is === "known" ? await listDescriptors(subject.user, runtime) : await readNoPasskeys(runtime)
  if (provider.revealsAccounts) return known
  const decoys = { email: String(subject.user.email ?? ""), purpose: provider.decoyPurpose, keys: runtime.keys }
  // Transports are left out, because they would distinguish real ids from decoys.
  return withDecoys(
    known.map(({ id }) => id),
    decoys,
  ).map((id) => ({ id }))
}

/** Queries the adapter although there is no user, because a faster response would reveal that. */
async function readNoPasskeys(runtime: MethodRuntime): Promise<ReturnType<typeof toDescriptor>[]> {
  // Queries a credential id, which is always text. User ids may be numbers in other adapters.
  await passkeyAdapter(runtime).getAuthenticator(randomBytes(32).toString("base64"))
  return []
}

/** The challenge identifies the flow, because the browser's response contains it. */
function traceStart({ call, provider, runtime }: OptionsContext, { challenge }: Ceremony, operation: string): void {
  const { trace } = call
  if (!trace) return
  trace.identify(challenge, 1)
  trace.write(
    "webauthn",
    `the browser ${operation}, for the relying party ${resolveRelyingParty(call, provider, runtime).id}`,
  )
}

async function beginAuthentication(context: OptionsContext): Promise<Reply> {
  const { call, provider, runtime } = context
  const { id: rpID } = resolveRelyingParty(call, provider, runtime)
  const allowCredentials = await allowedPasskeys(context)
  const options = await loadLibrary().generateAuthenticationOptions({
    userVerification: provider.userVerification.authenticate ? "required" : "preferred",
    ...provider.source.authenticationOptions,
    rpID,
    ...(allowCredentials && { allowCredentials }),
  })
  const ceremony = { provider: provider.id, action: "authenticate", challenge: options.challenge } as const
  traceStart(context, ceremony, `may use ${allowCredentials ? "a listed passkey" : "any passkey"}`)
  return json({ action: "authenticate", options }, putCeremony(ceremony, call, runtime))
}

/** Returns the user of a registration, and the account name that the authenticator displays. */
function newUser({ current, subject }: OptionsContext): { user: Omit<User, "id">; account: string } | undefined {
  const user = current ?? (subject.is === "none" ? undefined : subject.user)
  const account = user?.email ?? (current ? (current.name ?? current.id) : undefined)
  if (!user || !account) return undefined
  // A visitor who names an existing user's address must not receive that user's data.
  return { user: current === null && subject.is === "known" ? { email: user.email } : user, account }
}

async function beginRegistration(context: OptionsContext): Promise<Reply> {
  const { call, provider, runtime, current } = context
  const found = newUser(context)
  if (!found) return refuse("Invalid request")
  const { id: rpID, name: rpName } = resolveRelyingParty(call, provider, runtime)
  const { authenticatorSelection, ...given } = provider.source.registrationOptions ?? {}
  const options = await loadLibrary().generateRegistrationOptions({
    ...given,
    authenticatorSelection: {
      residentKey: "preferred",
      userVerification: provider.userVerification.register ? "required" : "preferred",
      ...authenticatorSelection,
    },
    // Attestation with certificates is rejected.
    attestationType: "none",
    rpID,
    rpName,
    userID: new Uint8Array(randomBytes(32)),
    userName: found.account,
    userDisplayName: found.user.name ?? "",
    excludeCredentials: current ? await listDescriptors(current, runtime) : [],
  })
  const ceremony = {
    provider: provider.id,
    action: "register",
    challenge: options.challenge,
    // Only the id of an existing user is stored, because the user record may exceed the size of a cookie.
    ...(current ? { userId: String(current.id) } : { user: found.user }),
  } as const
  traceStart(context, ceremony, `registers a passkey for ${current ? "the current user" : "a new user"}`)
  return json({ action: "register", options }, putCeremony(ceremony, call, runtime))
}

const BEGIN = { authenticate: beginAuthentication, register: beginRegistration }
