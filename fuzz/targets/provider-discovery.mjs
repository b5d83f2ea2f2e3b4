/** A discovery document, for a site that has not cached one. */
import { Finding, survive } from "../lib/oracle.mjs"
import { answerOf, ISSUER, openProviderSite } from "../lib/provider.mjs"
import { signsIn } from "../lib/site.mjs"

function parsed(bytes) {
  try {
    return Object(
      JSON.parse(
        Buffer.from(bytes)
          .toString("utf8")
          .replace(/^200\n/, ""),
      ),
    )
  } catch {
    return {}
  }
}

const urlOf = (text) => (typeof text === "string" && URL.canParse(text) ? new URL(text) : new URL("about:blank"))

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

export async function fuzz(bytes) {
  const { issuer, authorization_endpoint } = parsed(bytes)
  const { protocol, hostname, origin } = urlOf(authorization_endpoint)
  // A document may name any host, over TLS or on a loopback address.
  const mayLeadTo = protocol === "https:" || LOOPBACK.test(hostname) ? origin : ISSUER
  const answers = { "/.well-known/openid-configuration": () => answerOf(bytes) }
  let isIn = false
  await survive(async () => {
    const { signIn } = await openProviderSite({ answers, mayLeadTo })
    const { response } = await signIn()
    isIn = response !== undefined && signsIn(response)
    // OpenID Connect Discovery §4.3
    if (isIn && urlOf(issuer).href !== urlOf(ISSUER).href)
      throw new Finding("the document of another issuer signs a user in")
  })
  return isIn
}
