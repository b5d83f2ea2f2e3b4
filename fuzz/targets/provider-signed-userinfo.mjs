/**
 * A userinfo response as a signed token. Two lines are a header and claims, which are signed with the valid key (`@now@`
 * is replaced by the time). One line is the token itself.
 */
import { Finding, survive } from "../lib/oracle.mjs"
import { CLIENT_ID, ISSUER, openProviderSite, signed } from "../lib/provider.mjs"
import { renewedSite, signsIn } from "../lib/site.mjs"

const now = () => Math.floor(Date.now() / 1000)

let lines = [""]
const linesOf = (bytes) => Buffer.from(bytes).toString("utf8").replaceAll("@now@", String(now())).split("\n", 2)
const answer = () =>
  new Response(lines.length === 2 ? signed(...lines) : lines[0], { headers: { "content-type": "application/jwt" } })

const open = renewedSite(() =>
  openProviderSite({
    answers: { "/userinfo": answer },
    provider: { idToken: false, client: { userinfo_signed_response_alg: "ES256" } },
  }),
)

/** OpenID Connect Core §5.3.2, implemented independently: the minimal conditions for a sign-in. */
function mayPass([header, claims]) {
  const { iss = ISSUER, aud = CLIENT_ID, sub, exp = now() } = JSON.parse(claims)
  return (
    JSON.parse(header).alg === "ES256" &&
    [iss, sub].join() === [ISSUER, "ada"].join() &&
    [aud].flat().includes(CLIENT_ID) &&
    exp > now() - 60
  )
}

export async function fuzz(bytes) {
  lines = linesOf(bytes)
  let isIn = false
  await survive(async () => {
    isIn = signsIn((await (await open()).signIn()).response)
    if (!isIn) return
    if (lines.length !== 2) throw new Finding("unsigned userinfo signs a user in")
    if (!mayPass(lines)) throw new Finding("userinfo of another issuer, client or subject signs a user in")
  })
  return isIn
}
