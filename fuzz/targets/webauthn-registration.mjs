/** An attestation object (CBOR) in an otherwise valid registration of a new user. */
import { Finding, survive } from "../lib/oracle.mjs"
import { openPasskeySite, performCeremony, RP_ID_HASH, registration } from "../lib/passkey.mjs"
import { renewedSite, signsIn } from "../lib/site.mjs"

const open = renewedSite(openPasskeySite)
const email = "ada@app.test"

/** Deletes all users, so that every input has the same initial state. */
async function forget({ adapter }) {
  const user = await adapter.getUserByEmail(email)
  if (user) await adapter.deleteUser(user.id)
}

export async function fuzz(bytes) {
  let isIn = false
  await survive(async () => {
    const { site, adapter } = await open()
    const response = await performCeremony(site, { action: "register", email }, (challenge) =>
      JSON.stringify(registration(challenge, bytes)),
    )
    isIn = signsIn(response)
    await forget({ adapter })
    if (isIn && !Buffer.from(bytes).includes(RP_ID_HASH)) throw new Finding("a passkey of another domain is registered")
  })
  return isIn
}
