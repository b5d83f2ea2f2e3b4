import { randomUUID } from "node:crypto"
import type { RegistrationResponseJSON } from "@simplewebauthn/server"
import type { AdapterAuthenticator, AdapterUser } from "../../adapters/adapter.js"
import { asAuthError, asError, WebAuthnVerificationError } from "../../errors.js"
import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import type { Account, User } from "../../types.js"
import type { Identity } from "../method.js"
import type { CeremonyAnswer } from "./answer.js"
import { requireUncertified } from "./attestation.js"
import type { Ceremony } from "./challenge.js"
import { defaultName } from "./default-name.js"
import { bytesToStored, parseTransports, storedToBytes, toJson, toStored } from "./encoding.js"
import { loadLibrary } from "./library.js"
import type { ReadyWebAuthn } from "./prepare.js"
import { relyingPartyOf } from "./relying-party.js"
import { passkeyStore } from "./store.js"

export interface Verification {
  readonly call: AuthCall
  readonly provider: ReadyWebAuthn
  readonly runtime: Runtime
  readonly ceremony: Ceremony
  /** Who registers a passkey and is signed in. */
  readonly signedIn: AdapterUser | null
}

type Answer<Action extends CeremonyAnswer["action"]> = Extract<CeremonyAnswer, { action: Action }>

export const refuse = (message: string, provider: ReadyWebAuthn, facts: object = {}): WebAuthnVerificationError =>
  new WebAuthnVerificationError(message, { provider: provider.id, ...facts })

/** What every check of the library is held against. */
function expectations({ call, provider, runtime, ceremony }: Verification) {
  const { id, origin } = relyingPartyOf(call, provider, runtime)
  return { expectedChallenge: ceremony.challenge, expectedOrigin: origin, expectedRPID: id }
}

/** In a frame of another site a person can't see where they are (WebAuthn §13.4.9). */
function requireOwnFrame(clientDataJSON: string, provider: ReadyWebAuthn): void {
  const client: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString())
  if (Reflect.get(Object(client), "crossOrigin") === true)
    throw refuse("the passkey was used in a frame of another site", provider)
}

/** Whatever the library throws says what does not hold. */
async function verified<T extends { verified: boolean }>(provider: ReadyWebAuthn, work: () => Promise<T>): Promise<T> {
  let result: T
  try {
    result = await work()
  } catch (error) {
    throw asAuthError(error) ?? refuse("the passkey's answer does not hold", provider, { err: asError(error) })
  }
  if (!result.verified) throw refuse("the passkey's signature does not hold", provider)
  return result
}

/** Proves whose passkey it is (WebAuthn §7.2). */
export async function authenticate(answer: Answer<"authenticate">, verification: Verification): Promise<Identity> {
  const { call, provider, runtime } = verification
  const credentialID = toStored(answer.response.id)
  // Two answers of one passkey at once: the second has to see the counter that the first has left.
  const verify = async () => {
    const passkey = await passkeyStore(runtime).getAuthenticator(credentialID)
    if (!passkey) throw refuse("nobody here has this passkey", provider)
    await verifyAssertion(answer, passkey, verification)
    return ownerOf(passkey, verification)
  }
  return runtime.inTurn(`passkey ${credentialID}`, verify, call.signal)
}

async function verifyAssertion(
  { response }: Answer<"authenticate">,
  passkey: AdapterAuthenticator,
  verification: Verification,
): Promise<void> {
  const { provider, runtime } = verification
  const { source, userVerification } = provider
  const transports = parseTransports(passkey.transports)
  const { authenticationInfo } = await verified(provider, async () => {
    requireOwnFrame(response.response.clientDataJSON, provider)
    return loadLibrary().verifyAuthenticationResponse({
      requireUserVerification: userVerification.authenticate,
      ...source.verifyAuthenticationOptions,
      ...expectations(verification),
      response,
      credential: {
        id: toJson(passkey.credentialID),
        publicKey: storedToBytes(passkey.credentialPublicKey),
        counter: passkey.counter,
        ...(transports && { transports }),
      },
    })
  })
  await countUp(passkey, authenticationInfo.newCounter, { provider, runtime })
}

/** Another process may have counted further since: then one of the two answers is of a copy, or was sent twice. */
async function countUp(
  { credentialID, counter }: AdapterAuthenticator,
  newCounter: number,
  { provider, runtime }: Pick<Verification, "provider" | "runtime">,
): Promise<void> {
  const store = passkeyStore(runtime)
  try {
    await store.updateAuthenticatorCounter(credentialID, newCounter)
  } catch (error) {
    const now = await store.getAuthenticator(credentialID)
    if (!now || now.counter === counter) throw error
    throw refuse("the passkey's counter did not go up: it was sent twice, or there is a copy", provider)
  }
}

async function ownerOf({ providerAccountId }: AdapterAuthenticator, verification: Verification): Promise<Identity> {
  const { provider, runtime } = verification
  const store = passkeyStore(runtime)
  const account = await store.getAccount(providerAccountId, provider.id)
  const user = account && (await store.getUser(account.userId))
  if (!account || !user) throw refuse("the passkey belongs to nobody any more", provider)
  return { user, account: accountOf(providerAccountId, provider, user), isStoredUser: true }
}

const accountOf = (providerAccountId: string, provider: ReadyWebAuthn, user?: AdapterUser): Account => ({
  providerAccountId,
  provider: provider.id,
  type: "webauthn",
  ...(user && { userId: user.id }),
})

/** Whoever makes a key chooses its id: with somebody else's it would be a second key to their account (WebAuthn §7.1). */
async function requireUnknown(credentialID: string, { provider, runtime }: Verification): Promise<void> {
  if (await passkeyStore(runtime).getAuthenticator(credentialID))
    throw refuse("the new passkey has the id of one that is stored already", provider)
}

/** Longer ids are none (WebAuthn §7.1). */
const MAX_ID_BYTES = 1023
const MAX_TRANSPORTS = 10

/** What the browser says of it, which nothing signs: names of transports (WebAuthn §5.8.4), whichever there will be. */
function transportsOf({ response }: RegistrationResponseJSON): string[] | undefined {
  const given: unknown = response.transports
  if (!Array.isArray(given)) return undefined
  const names = given.filter((name): name is string => typeof name === "string" && /^[a-z-]{1,32}$/.test(name))
  return names.slice(0, MAX_TRANSPORTS)
}

/** Whom the passkey is for: who is signed in, else somebody whose id is not known yet. */
function registrant({ ceremony, signedIn }: Verification): User | null {
  if (signedIn) return signedIn
  return ceremony.user ? { ...ceremony.user, id: randomUUID() } : null
}

/** Proves that a passkey was made, for whom the ceremony was begun (WebAuthn §7.1). */
export async function register(answer: Answer<"register">, verification: Verification): Promise<Identity> {
  const { call, provider, runtime } = verification
  const { source, userVerification } = provider
  const { response } = answer
  const { registrationInfo } = await verified(provider, async () => {
    requireOwnFrame(response.response.clientDataJSON, provider)
    requireUncertified(response.response.attestationObject)
    return loadLibrary().verifyRegistrationResponse({
      requireUserVerification: userVerification.register,
      ...source.verifyRegistrationOptions,
      ...expectations(verification),
      response,
    })
  })
  const user = registrant(verification)
  if (!registrationInfo || !user) throw refuse("the registration is for nobody", provider)
  const { aaguid, credential, credentialBackedUp, credentialDeviceType } = registrationInfo
  const providerAccountId = toStored(credential.id)
  if (storedToBytes(providerAccountId).length > MAX_ID_BYTES) throw refuse("the new passkey's id is too long", provider)
  await requireUnknown(providerAccountId, verification)
  const transports = transportsOf(response)
  const name = defaultName(aaguid, call, runtime)
  return {
    user,
    account: accountOf(providerAccountId, provider),
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
