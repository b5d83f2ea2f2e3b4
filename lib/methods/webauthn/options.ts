import { hkdfSync, randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { AdapterAuthenticator, AdapterUser } from "../../adapters/adapter.js"
import type { User } from "../../base/types.js"
import type { AuthCall } from "../../http/call.js"
import { json, type Reply, withCookies } from "../../http/reply.js"
import type { Keyring } from "../../security/keys.js"
import type { MethodRuntime } from "../method.js"
import { type Ceremony, putCeremony } from "./challenge.js"
import { parseTransports, toBase64url } from "./encoding.js"
import { loadLibrary } from "./library.js"
import { listUserPasskeys, passkeyAdapter } from "./passkey-adapter.js"
import type { ReadyWebAuthn } from "./prepare.js"
import { resolveRelyingParty } from "./relying-party.js"
import { type PasskeySubject, readCurrentUser, resolveSubject } from "./subject.js"

/**
 * The lengths in bytes of the decoys: credential ids without a passkey, which hide the ids of real passkeys. Common
 * authenticators create ids of these lengths.
 */
const DECOY_LENGTHS = [16, 16, 20, 20, 32, 32, 48, 64, 64]
const TOTAL_DECOY_LENGTH = DECOY_LENGTHS.reduce((sum, length) => sum + length, 0)

/** Creates the decoy ids of an email address, one for each length. The same address always has the same decoys. */
function createDecoys(email: string, purpose: string, { secrets }: Keyring): Buffer[] {
  // Uses the oldest secret, because decoys must stay the same when a new secret is added, as real ids do.
  const bytes = Buffer.from(hkdfSync("sha256", secrets.at(-1) ?? "", email, purpose, TOTAL_DECOY_LENGTH))
  const starts = DECOY_LENGTHS.map((_, i) => DECOY_LENGTHS.slice(0, i).reduce((sum, length) => sum + length, 0))
  return DECOY_LENGTHS.map((length, i) => bytes.subarray(starts[i], (starts[i] ?? 0) + length))
}

/**
 * Returns the decoys of an address, in which each of the user's ids replaces a decoy of the same length. Ids of other
 * lengths are appended. All ids are base64url.
 */
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

/** The facts about a request that decide which ceremony to start. */
export interface CeremonyFacts {
  /** The requested ceremony; undefined if the server decides. */
  readonly requested: "authenticate" | "register" | undefined
  readonly isSignedIn: boolean
  /**
   * "known" if a user is signed in, or if a user has the email address in the request; "new" for any other address;
   * "none" without an address.
   */
  readonly subject: "none" | "known" | "new"
  /** True if the response may reveal whether a user has the address. */
  readonly revealsAccounts: boolean
}

/**
 * Decides which ceremony to start. Undefined if the request must be rejected. A pure function.
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

const badRequest = (error: Refusal): Reply => json({ error }, [], 400)

/**
 * The minimum response time when a visitor sends an email address, unless `revealsAccounts` is set. It hides that the
 * adapter may need more time for the address of a user than for an unknown address.
 */
const MIN_RESPONSE_MS = 10

/** Handles GET webauthn-options/:id. Returns the options that start a ceremony in the browser (WebAuthn §5.4, §5.5). */
export async function webauthnOptions(call: AuthCall, provider: ReadyWebAuthn, runtime: MethodRuntime): Promise<Reply> {
  const { action } = call.query
  if (action !== undefined && action !== "authenticate" && action !== "register") return badRequest("Invalid action")
  const { user: current, cookies } = await readCurrentUser(call, runtime)
  const { revealsAccounts } = provider
  const minimumWait = current || revealsAccounts ? undefined : pause(MIN_RESPONSE_MS)
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
  const reply = await (ceremony === undefined ? badRequest("Invalid request") : BEGIN[ceremony](context))
  if (subject.is !== "none") await minimumWait
  return withCookies(cookies, reply)
}

const toDescriptor = ({ credentialID, transports }: AdapterAuthenticator) => {
  const names = parseTransports(transports)
  return { id: toBase64url(credentialID), ...(names && { transports: names }) }
}

const listDescriptors = async (user: AdapterUser, runtime: MethodRuntime) =>
  (await listUserPasskeys(user, runtime)).map(toDescriptor)

/**
 * Returns the passkeys for `allowCredentials`. Returns undefined if a visitor sent no email address, or if the passkeys
 * of the provider are discoverable: then the browser finds them without a list. Unless `revealsAccounts` is set, the
 * list for a visitor does not reveal whether a user has the address.
 */
async function allowedPasskeys({ current, subject, provider, runtime }: OptionsContext) {
  if (current) return listDescriptors(current, runtime)
  if (subject.is === "none" || provider.ceremony.isDiscoverable) return undefined
  const ownPasskeys =
    subject.is === "known" ? await listDescriptors(subject.user, runtime) : await queryNoPasskeys(runtime)
  if (provider.revealsAccounts) return ownPasskeys
  const decoyOptions = { email: String(subject.user.email ?? ""), purpose: provider.decoyPurpose, keys: runtime.keys }
  // Transports are left out, because they would distinguish real ids from decoys.
  return withDecoys(
    ownPasskeys.map(({ id }) => id),
    decoyOptions,
  ).map((id) => ({ id }))
}

/** Queries the adapter, but returns no passkeys. Without the query, an unknown address would get a faster response. */
async function queryNoPasskeys(runtime: MethodRuntime): Promise<ReturnType<typeof toDescriptor>[]> {
  // Queries a credential id, which is text in every adapter. A random user id could have the wrong type.
  await passkeyAdapter(runtime).getAuthenticator(randomBytes(32).toString("base64"))
  return []
}

/**
 * Writes the start of a ceremony to the trace. The challenge identifies the flow in the trace, because the browser's
 * response at the end of the ceremony contains the same challenge.
 */
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

/** Returns the user of a registration, and the account name for the authenticator. Undefined if one is missing. */
function findRegistrant({
  current,
  subject,
}: OptionsContext): { user: Omit<User, "id">; accountName: string } | undefined {
  const user = current ?? (subject.is === "none" ? undefined : subject.user)
  const accountName = user?.email ?? (current ? (current.name ?? current.id) : undefined)
  if (!user || !accountName) return undefined
  // A visitor who enters the address of an existing user must not receive that user's data.
  return { user: current === null && subject.is === "known" ? { email: user.email } : user, accountName }
}

async function beginRegistration(context: OptionsContext): Promise<Reply> {
  const { call, provider, runtime, current } = context
  const registrant = findRegistrant(context)
  if (!registrant) return badRequest("Invalid request")
  const { id: rpID, name: rpName } = resolveRelyingParty(call, provider, runtime)
  const { authenticatorSelection, ...customOptions } = provider.source.registrationOptions ?? {}
  const options = await loadLibrary().generateRegistrationOptions({
    ...customOptions,
    authenticatorSelection: {
      residentKey: "preferred",
      userVerification: provider.userVerification.register ? "required" : "preferred",
      ...authenticatorSelection,
    },
    // Requests no attestation, because attestation with certificates is rejected.
    attestationType: "none",
    rpID,
    rpName,
    userID: new Uint8Array(randomBytes(32)),
    userName: registrant.accountName,
    userDisplayName: registrant.user.name ?? "",
    excludeCredentials: current ? await listDescriptors(current, runtime) : [],
  })
  const ceremony = {
    provider: provider.id,
    action: "register",
    challenge: options.challenge,
    // For the current user only the id is stored, because the whole user record may not fit into a cookie.
    ...(current ? { userId: String(current.id) } : { user: registrant.user }),
  } as const
  traceStart(context, ceremony, `registers a passkey for ${current ? "the current user" : "a new user"}`)
  return json({ action: "register", options }, putCeremony(ceremony, call, runtime))
}

const BEGIN = { authenticate: beginAuthentication, register: beginRegistration }
