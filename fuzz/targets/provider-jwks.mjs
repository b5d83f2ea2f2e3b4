/** A JSON Web Key Set, for a site that has not cached one. `@x@` and `@y@` are replaced by the valid key. */
import { Finding, survive } from "../lib/oracle.mjs"
import { answerOf, openProviderSite, PUBLIC_KEY } from "../lib/provider.mjs"
import { signsIn } from "../lib/site.mjs"

const { x, y } = PUBLIC_KEY
const filled = (bytes) => Buffer.from(bytes).toString("latin1").replaceAll("@x@", x).replaceAll("@y@", y)

export async function fuzz(bytes) {
  const content = Buffer.from(filled(bytes), "latin1")
  let isIn = false
  await survive(async () => {
    const { signIn } = await openProviderSite({ answers: { "/jwks": () => answerOf(content) } })
    const { response } = await signIn()
    isIn = signsIn(response)
    // Two coordinates have 2⁵¹² values.
    if (isIn && !content.includes(x)) throw new Finding("another key verified the signature")
  })
  return isIn
}
