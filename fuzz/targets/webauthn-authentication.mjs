/** Authenticator data, signed by the key of a passkey that was never used before. */
import { Finding, survive } from "../lib/oracle.mjs"
import {
  assertion,
  honestAttestation,
  openPasskeySite,
  performCeremony,
  RP_ID_HASH,
  registration,
} from "../lib/passkey.mjs"
import { renewedSite, signsIn } from "../lib/site.mjs"

async function openWithPasskey() {
  const { site, adapter } = await openPasskeySite()
  const somebody = { action: "register", email: "ada@app.test" }
  await performCeremony(site, somebody, (challenge) => JSON.stringify(registration(challenge, honestAttestation())))
  const user = await adapter.getUserByEmail(somebody.email)
  const [passkey] = await adapter.listAuthenticatorsByUserId(user.id)
  /** Resets the passkey to its state before the use. */
  async function renew() {
    await adapter.deleteAuthenticator(passkey.credentialID)
    await adapter.createAuthenticator(passkey)
  }
  return { site, renew }
}

const open = renewedSite(openWithPasskey)

const PRESENT_AND_VERIFIED = 0x05

function requireOurs(signedBytes) {
  if (!signedBytes.subarray(0, 32).equals(RP_ID_HASH)) throw new Finding("a passkey of another domain signs a user in")
  const flags = (signedBytes[32] ?? 0) & PRESENT_AND_VERIFIED
  if (flags !== PRESENT_AND_VERIFIED)
    throw new Finding("a response without user presence or verification signs a user in")
}

export async function fuzz(bytes) {
  const signedBytes = Buffer.from(bytes)
  let isIn = false
  await survive(async () => {
    const { site, renew } = await open()
    const response = await performCeremony(site, { action: "authenticate" }, (challenge) =>
      JSON.stringify(assertion(challenge, signedBytes)),
    )
    isIn = signsIn(response)
    if (!isIn) return
    await renew()
    requireOurs(signedBytes)
  })
  return isIn
}
