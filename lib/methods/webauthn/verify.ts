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
import { bytesToStored, parseTransports, storedToBytes, toBase64url, toStored } from "./encoding.js"
import { recordUse } from "./last-use.js"
import { loadHelpers, loadLibrary } from "./library.js"
import { passkeyAdapter } from "./passkey-adapter.js"
import type { ReadyWebAuthn } from "./prepare.js"
import { resolveRelyingParty } from "./relying-party.js"
import type { CeremonyResponse } from "./response.js"

/** The accepted attestation formats, each with a check that the statement has no certificates (WebAuthn §8.2, §8.7). */
const ATTESTATION_FORMATS: ReadonlyMap<unknown, (statement: AttestationStatement) => boolean> = new Map([
  ["none", ({ size }: AttestationStatement) => size === 0],
  // Self attestation: the statement contains only the algorithm and the signature.
  ["packed", (s: AttestationStatement) => s.size === 2 && s.get("alg") !== undefined && s.get("sig") !== undefined],
])

/**
 * Requires an attestation without certificates: the format "none", or self attestation by the new key.
 *
 * @throws Error if the attestation has another format or certificates, or if it is malformed
 */
function requireNoCertificates(attestationObject: string): void {
  const { decodeAttestationObject, isoBase64URL } = loadHelpers()
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const format: unknown = attestation.get("fmt")
  if (ATTESTATION_FORMATS.get(format)?.(attestation.get("attStmt"))) return
  throw new Error(
    `the attestation with the format "${String(format).slice(0, 20)}" is not accepted: it must be "none", or "packed" without certificates`,
  )
}

export interface Verification {
  readonly call: AuthCall
  readonly provider: ReadyWebAuthn
  readonly runtime: MethodRuntime
  readonly ceremony: Ceremony
  /** The current user, if the user registers a passkey. Null for a visitor, and for an authentication. */
  readonly currentUser: AdapterUser | null
}

type VerifiedResponse<Action extends CeremonyResponse["action"]> = Extract<CeremonyResponse, { action: Action }>

export const verificationError = (
  message: string,
  provider: ReadyWebAuthn,
  facts: object = {},
): WebAuthnVerificationError => new WebAuthnVerificationError(message, { provider: provider.id, ...facts })

/** Returns the values that `@simplewebauthn/server` (below: the library) compares with the response. */
function expectedValues({ call, provider, runtime, ceremony }: Verification) {
  const { id, origin } = resolveRelyingParty(call, provider, runtime)
  return { expectedChallenge: ceremony.challenge, expectedOrigin: origin, expectedRPID: id }
}

/** Rejects a ceremony in a cross-origin iframe, in which the user can't recognise the site (WebAuthn §13.4.9). */
function rejectCrossOrigin({ isCrossOrigin }: CeremonyResponse, provider: ReadyWebAuthn): void {
  if (isCrossOrigin) throw verificationError("the passkey was used in a cross-origin iframe", provider)
}

/**
 * Runs a verification of the library and returns its result.
 *
 * @throws WebAuthnVerificationError if the library throws, or reports that the response is not verified
 */
async function requireVerified<T extends { verified: boolean }>(
  provider: ReadyWebAuthn,
  verify: () => Promise<T>,
): Promise<T> {
  let result: T
  try {
    result = await verify()
  } catch (error) {
    throw asAuthError(error) ?? verificationError("the passkey response is invalid", provider, { err: asError(error) })
  }
  if (!result.verified) throw verificationError("the passkey's signature is invalid", provider)
  return result
}

/** Verifies the response of an authentication (WebAuthn §7.2). Stores the new counter, and returns the user. */
export async function authenticate(
  ceremonyResponse: VerifiedResponse<"authenticate">,
  verification: Verification,
): Promise<Identity> {
  const { call, provider, runtime } = verification
  const credentialID = toStored(ceremonyResponse.response.id)
  // Concurrent responses of one passkey are verified one after another, so that the second reads the updated counter.
  const verify = async () => {
    const passkey = await passkeyAdapter(runtime).getAuthenticator(credentialID)
    if (!passkey) throw verificationError("no user has this passkey", provider)
    const isUserVerified = await verifyAssertion(ceremonyResponse, passkey, verification)
    return {
      ...(await findPasskeyUser(passkey, verification)),
      authentication: toAuthentication(isUserVerified, runtime),
    }
  }
  return runtime.withLock(`passkey ${credentialID}`, verify, call.signal)
}

/** Returns `amr` (RFC 8176): "hwk" for a key, "user" for the user's presence, "mfa" if the user was verified. */
export const passkeyAmr = (isUserVerified: boolean): readonly string[] =>
  isUserVerified ? ["hwk", "user", "mfa"] : ["hwk", "user"]

const toAuthentication = (isUserVerified: boolean, { now }: Verification["runtime"]): Authentication => ({
  amr: passkeyAmr(isUserVerified),
  authTime: Math.floor(now() / 1000),
})

/** Verifies the signature, and stores the counter and the time of use. Returns true if the device verified the user. */
async function verifyAssertion(
  ceremonyResponse: VerifiedResponse<"authenticate">,
  passkey: AdapterAuthenticator,
  verification: Verification,
): Promise<boolean> {
  const { provider, runtime } = verification
  const { source, userVerification } = provider
  const transports = parseTransports(passkey.transports)
  const { authenticationInfo } = await requireVerified(provider, async () => {
    rejectCrossOrigin(ceremonyResponse, provider)
    return loadLibrary().verifyAuthenticationResponse({
      requireUserVerification: userVerification.authenticate,
      ...source.verifyAuthenticationOptions,
      ...expectedValues(verification),
      response: ceremonyResponse.response,
      credential: {
        id: toBase64url(passkey.credentialID),
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
 * Stores the new counter.
 *
 * @throws WebAuthnVerificationError if another process has changed the counter since it was read. Then two responses of
 * one passkey were sent at once: one is a replay, or the passkey was cloned. Otherwise throws the adapter's error
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
    const latest = await adapter.getAuthenticator(credentialID)
    if (!latest || latest.counter === counter) throw error
    throw verificationError(
      "the passkey's counter did not increase: the response was replayed, or the passkey was cloned",
      provider,
    )
  }
}

async function findPasskeyUser(
  { providerAccountId }: AdapterAuthenticator,
  verification: Verification,
): Promise<Identity> {
  const { provider, runtime } = verification
  const adapter = passkeyAdapter(runtime)
  const account = await adapter.getAccount(providerAccountId, provider.id)
  const user = account && (await adapter.getUser(account.userId))
  if (!account || !user) throw verificationError("the user or account of the passkey no longer exists", provider)
  return { user, account: createAccount(providerAccountId, provider, user), owner: user, isStoredUser: true }
}

const createAccount = (providerAccountId: string, provider: ReadyWebAuthn, user?: AdapterUser): Account => ({
  providerAccountId,
  provider: provider.id,
  type: "webauthn",
  ...(user && { userId: user.id }),
})

/**
 * Rejects a new passkey with the id of a stored one. The client chooses the id, so an attacker could otherwise add a
 * key to another user's account (WebAuthn §7.1).
 */
async function requireUnusedId(credentialID: string, { provider, runtime }: Verification): Promise<void> {
  if (await passkeyAdapter(runtime).getAuthenticator(credentialID))
    throw verificationError("the new passkey has the id of a stored passkey", provider)
}

/** The maximum length of a credential id (WebAuthn §7.1). */
const MAX_ID_BYTES = 1023
const MAX_TRANSPORTS = 10

/**
 * Reads the transports of a new passkey (WebAuthn §5.8.4). They are not signed, so their number and format are limited.
 * Unknown names are accepted, because WebAuthn may define more transports.
 */
function readTransports({ response }: RegistrationResponseJSON): string[] | undefined {
  const transports: unknown = response.transports
  if (!Array.isArray(transports)) return undefined
  const names = transports.filter((name): name is string => typeof name === "string" && /^[a-z-]{1,32}$/.test(name))
  return names.slice(0, MAX_TRANSPORTS)
}

/** Returns the user of the new passkey: the current user, or a new user with a provisional id. Null without a user. */
function registrationUser({ ceremony, currentUser }: Verification): User | null {
  if (currentUser) return currentUser
  return ceremony.user ? { ...ceremony.user, id: randomUUID() } : null
}

/** Verifies the registration of a passkey for the user of the ceremony (WebAuthn §7.1). */
export async function register(
  ceremonyResponse: VerifiedResponse<"register">,
  verification: Verification,
): Promise<Identity> {
  const { call, provider, runtime } = verification
  const { source, userVerification } = provider
  const { response } = ceremonyResponse
  const { registrationInfo } = await requireVerified(provider, async () => {
    rejectCrossOrigin(ceremonyResponse, provider)
    requireNoCertificates(response.response.attestationObject)
    return loadLibrary().verifyRegistrationResponse({
      requireUserVerification: userVerification.register,
      ...source.verifyRegistrationOptions,
      ...expectedValues(verification),
      response,
    })
  })
  const user = registrationUser(verification)
  if (!registrationInfo || !user) throw verificationError("the registration has no user", provider)
  const { aaguid, credential, credentialBackedUp, credentialDeviceType, userVerified } = registrationInfo
  const providerAccountId = toStored(credential.id)
  if (storedToBytes(providerAccountId).length > MAX_ID_BYTES)
    throw verificationError("the new passkey's id is too long", provider)
  await requireUnusedId(providerAccountId, verification)
  const transports = readTransports(response)
  const name = defaultName(aaguid, call, runtime)
  return {
    user,
    account: createAccount(providerAccountId, provider),
    authentication: toAuthentication(userVerified, runtime),
    isStoredUser: verification.currentUser !== null,
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
