/** A discovery document, read by a site that has none yet. */
import { Finding, survive } from "../lib/oracle.mjs"
import { answerOf, ISSUER, openProviderSite } from "../lib/provider.mjs"
import { signsIn } from "../lib/site.mjs"

/** Does the document speak for our issuer (OpenID Connect Discovery §4.3)? */
function isOfIssuer(bytes) {
  try {
    const { issuer } = JSON.parse(
      Buffer.from(bytes)
        .toString("utf8")
        .replace(/^200\n/, ""),
    )
    return new URL(issuer).href === new URL(ISSUER).href
  } catch {
    return false
  }
}

export async function fuzz(bytes) {
  let isIn = false
  await survive(async () => {
    const { signIn } = await openProviderSite({
      answers: { "/.well-known/openid-configuration": () => answerOf(bytes) },
    })
    const { response } = await signIn()
    isIn = response !== undefined && signsIn(response)
    if (isIn && !isOfIssuer(bytes)) throw new Finding("it speaks for another issuer")
  })
  return isIn
}
