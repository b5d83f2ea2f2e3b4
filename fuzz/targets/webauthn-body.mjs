/**
 * The JSON that a browser posts after a registration or an authentication. `@create@` and `@get@` are replaced by valid
 * client data, and `@challenge@` by the challenge.
 */
import { survive } from "../lib/oracle.mjs"
import { clientData, openPasskeySite, performCeremony } from "../lib/passkey.mjs"
import { renewedSite } from "../lib/site.mjs"

const open = renewedSite(openPasskeySite)
let count = 0

const filled = (text, challenge) =>
  text
    .replaceAll("@create@", clientData("create", challenge).toString("base64url"))
    .replaceAll("@get@", clientData("get", challenge).toString("base64url"))
    .replaceAll("@challenge@", challenge)

export async function fuzz(bytes) {
  const text = Buffer.from(bytes).toString("utf8")
  await survive(async () => {
    const { site } = await open()
    const email = `person-${++count}@app.test`
    await performCeremony(site, { action: "register", email }, (challenge) => filled(text, challenge))
    await performCeremony(site, { action: "authenticate" }, (challenge) => filled(text, challenge))
  })
}
