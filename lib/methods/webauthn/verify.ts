import { randomUUID } from "node:crypto"
import type { RegistrationResponseJSON } from "@simplewebauthn/server"
import type { AttestationStatement } from "@simplewebauthn/server/helpers"
import type { Authentication, Identity } from "../../accounts/identity.js"
import type { AdapterAuthenticator, AdapterUser } from "../../adapters/adapter.js"
import type { Account, User } from "../../base/types.js"
import { asAuthError, asError, WebAuthnVerificationError } from "../../errors/errors.js"
import type { AuthCall } from "../../http/call.js"
import type { MethodRuntime } from "../method.js"
import type { Ceremony } from "./challenge.js"
import { defaultName } from "./default-name.js"
import { bytesToStored, parseTransports, storedToBytes, toJson, toStored } from "./encoding.js"
import { recordUse } from "./last-use.js"
import { loadHelpers, loadLibrary } from "./library.js"
import { passkeyAdapter } from "./passkey-adapter.js"
import type { ReadyWebAuthn } from "./prepare.js"
import { resolveRelyingParty } from "./relying-party.js"
import type { CeremonyResponse } from "./response.js"

/** The formats without certificates, each with what its statement must be (WebAuthn §8.2, §8.7). */
const UNCERTIFIED: ReadonlyMap<unknown, (statement: AttestationStatement) => boolean> = new Map([
  ["none", ({ size }: AttestationStatement) => size === 0],
  // Self attestation: the statement contains only the algorithm and the signature, no certificates.
  ["packed", (s: AttestationStatement) => s.size === 2 && s.get("alg") !== undefined && s.get("sig") !== undefined],
])

/**
 * Requires an attestation without certificates: none at all, or a signature of the new key itself.
 *
 * @throws Error for every other format, and for invalid attestation objects
 */
function requireUncertified(attestationObject: string): void {
  const { decodeAttestationObject, isoBase64URL } = loadHelpers()
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const format: unknown = attestation.get("fmt")
  if (UNCERTIFIED.get(format)?.(attestation.get("attStmt"))) return
  throw new Error(`an attestation of the format ${String(format).slice(0, 20)}, or its certificates, is not accepted`)
}

export interface Verification {
  readonly call: AuthCall
  readonly provider: ReadyWebAuthn
  readonly runtime: MethodRuntime
  readonly ceremony: Ceremony
  /** The current user who registers a passkey, if any. */
  readonly signedIn: AdapterUser | null
}

type VerifiedResponse<Action extends CeremonyResponse["action"]> = Extract<CeremonyResponse, { action: Action }>

export const refuse = (message: string, provider: ReadyWebAuthn, facts: object = {}): WebAuthnVerificationError =>
  new WebAuthnVerificationError(message, { provider: provider.id, ...facts })

/** The expected values for the library's verification. */
function expectations({ call, provider, runtime, ceremony }: Verification) {
  const { id, origin } = resolveRelyingParty(call, provider, runtime)
  return { expectedChallenge: ceremony.challenge, expectedOrigin: origin, expectedRPID: id }
}

/** Rejects a cross-origin frame, in which the user can't recognise the site (WebAuthn §13.4.9). */
function requireOwnFrame({ isCrossOrigin }: CeremonyResponse, provider: ReadyWebAuthn): void {
  if (isCrossOrigin) throw refuse("the passkey was used in a frame of another site", provider)
}

/** Runs a verification of the library, and converts its errors. */
async function requireVerified<T extends { verified: boolean }>(
  provider: ReadyWebAuthn,
  work: () => Promise<T>,
): Promise<T> {
  let result: T
  try {
    result = await work()
  } catch (error) {
    throw asAuthError(error) ?? refuse("the passkey response is invalid", provider, { err: asError(error) })
  }
  if (!result.verified) throw refuse("the passkey's signature is invalid", provider)
  return result
}

/** Verifies an authentication and returns the passkey's owner (WebAuthn §7.2). */
export async function authenticate(
  answer: VerifiedResponse<"authenticate">,
  verification: Verification,
): Promise<Identity> {
  const { call, provider, runtime } = verification
  const credentialID = toStored(answer.response.id)
  // Concurrent responses of one passkey run in sequence, so that the second sees the updated counter.
  const verify = async () => {
    const passkey = await passkeyAdapter(runtime).getAuthenticator(credentialID)
    if (!passkey) throw refuse("no user has this passkey", provider)
    const isUserVerified = await verifyAssertion(answer, passkey, verification)
    return { ...(await findOwner(passkey, verification)), authentication: authenticated(isUserVerified, runtime) }
  }
  return runtime.withLock(`passkey ${credentialID}`, verify, call.signal)
}

/** RFC 8176: the user's presence on a device with a key, and a second factor if the device has verified the user. */
export const passkeyAmr = (isUserVerified: boolean): readonly string[] =>
  isUserVerified ? ["hwk", "user", "mfa"] : ["hwk", "user"]

const authenticated = (isUserVerified: boolean, { now }: Verification["runtime"]): Authentication => ({
  amr: passkeyAmr(isUserVerified),
  authTime: Math.floor(now() / 1000),
})

/** Returns true if the device has verified the user. */
async function verifyAssertion(
  answer: VerifiedResponse<"authenticate">,
  passkey: AdapterAuthenticator,
  verification: Verification,
): Promise<boolean> {
  const { provider, runtime } = verification
  const { source, userVerification } = provider
  const transports = parseTransports(passkey.transports)
  const { authenticationInfo } = await requireVerified(provider, async () => {
    requireOwnFrame(answer, provider)
    return loadLibrary().verifyAuthenticationResponse({
      requireUserVerification: userVerification.authenticate,
      ...source.verifyAuthenticationOptions,
      ...expectations(verification),
      response: answer.response,
      credential: {
        id: toJson(passkey.credentialID),
        publicKey: storedToBytes(passkey.credentialPublicKey),
        counter: passkey.counter,
        ...(transports && { transports }),
      },
    })
  })
  await updateCounter(passkey, authenticationInfo.newCounter, { provider, runtime })
  await recordUse(passkey.credentialID, runtime)
  return authenticationInfo.userVerified
}

/**
 * Stores the new counter. If another process stored one meanwhile, one response is a replay or from a cloned passkey.
 */
async function updateCounter(
  { credentialID, counter }: AdapterAuthenticator,
  newCounter: number,
  { provider, runtime }: Pick<Verification, "provider" | "runtime">,
): Promise<void> {
  const adapter = passkeyAdapter(runtime)
  try {
    await adapter.updateAuthenticatorCounter(credentialID, newCounter)
  } catch (error) {
    const now = await adapter.getAuthenticator(credentialID)
    if (!now || now.counter === counter) throw error
    throw refuse(
      "the passkey's counter did not increase: the response was replayed, or the passkey was cloned",
      provider,
    )
  }
}

async function findOwner({ providerAccountId }: AdapterAuthenticator, verification: Verification): Promise<Identity> {
  const { provider, runtime } = verification
  const adapter = passkeyAdapter(runtime)
  const account = await adapter.getAccount(providerAccountId, provider.id)
  const user = account && (await adapter.getUser(account.userId))
  if (!account || !user) throw refuse("the user or account of the passkey no longer exists", provider)
  return { user, account: createAccount(providerAccountId, provider, user), owner: user, isStoredUser: true }
}

const createAccount = (providerAccountId: string, provider: ReadyWebAuthn, user?: AdapterUser): Account => ({
  providerAccountId,
  provider: provider.id,
  type: "webauthn",
  ...(user && { userId: user.id }),
})

/**
 * Rejects the id of a stored passkey. The client chooses the id, so another user's id would add a second key to that
 * user's account (WebAuthn §7.1).
 */
async function requireUnknown(credentialID: string, { provider, runtime }: Verification): Promise<void> {
  if (await passkeyAdapter(runtime).getAuthenticator(credentialID))
    throw refuse("the new passkey has the id of a stored passkey", provider)
}

/** The maximum length of a credential id (WebAuthn §7.1). */
const MAX_ID_BYTES = 1023
const MAX_TRANSPORTS = 10

/**
 * Reads the transports (WebAuthn §5.8.4). They are not signed, and unknown names are accepted for future transports.
 */
function readTransports({ response }: RegistrationResponseJSON): string[] | undefined {
  const given: unknown = response.transports
  if (!Array.isArray(given)) return undefined
  const names = given.filter((name): name is string => typeof name === "string" && /^[a-z-]{1,32}$/.test(name))
  return names.slice(0, MAX_TRANSPORTS)
}

/** Returns the user of the new passkey: the current user, else a new user with a provisional id. */
function newUser({ ceremony, signedIn }: Verification): User | null {
  if (signedIn) return signedIn
  return ceremony.user ? { ...ceremony.user, id: randomUUID() } : null
}

/** Verifies the registration of a passkey for the user of the ceremony (WebAuthn §7.1). */
export async function register(answer: VerifiedResponse<"register">, verification: Verification): Promise<Identity> {
  const { call, provider, runtime } = verification
  const { source, userVerification } = provider
  const { response } = answer
  const { registrationInfo } = await requireVerified(provider, async () => {
    requireOwnFrame(answer, provider)
    requireUncertified(response.response.attestationObject)
    return loadLibrary().verifyRegistrationResponse({
      requireUserVerification: userVerification.register,
      ...source.verifyRegistrationOptions,
      ...expectations(verification),
      response,
    })
  })
  const user = newUser(verification)
  if (!registrationInfo || !user) throw refuse("the registration has no user", provider)
  const { aaguid, credential, credentialBackedUp, credentialDeviceType, userVerified } = registrationInfo
  const providerAccountId = toStored(credential.id)
  if (storedToBytes(providerAccountId).length > MAX_ID_BYTES) throw refuse("the new passkey's id is too long", provider)
  await requireUnknown(providerAccountId, verification)
  const transports = readTransports(response)
  const name = defaultName(aaguid, call, runtime)
  return {
    user,
    account: createAccount(providerAccountId, provider),
    authentication: authenticated(userVerified, runtime),
    isStoredUser: verification.signedIn !== null,
    passkey: {
      providerAccountId,
      credentialID: providerAccountId,
      credentialPublicKey: bytesToStored(credential.publicKey),
      counter: credential.counter,
      credentialBackedUp,
      credentialDeviceType,
      ...(transports && { transports: transports.join(",") }),
      ...(name !== undefined && { name }),
    },
  }
}
