/**
 * An id_token in a whole sign-in. Two lines are a header and claims, which are signed with the valid key (`"@nonce@"`
 * and `@now@` are replaced by those of the sign-in). One line is the token itself.
 */
import { Finding, survive } from "../lib/oracle.mjs"
import { CLIENT_ID, ISSUER, openProviderSite, signed } from "../lib/provider.mjs"
import { renewedSite, signsIn } from "../lib/site.mjs"

const now = () => Math.floor(Date.now() / 1000)

const parsed = (text) => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** OpenID Connect Core §3.1.3.7, implemented independently: the minimal conditions for a sign-in. */
function mayPass([header, claims], nonce) {
  const { iss, aud, sub, exp, nonce: own } = parsed(claims)
  return (
    parsed(header).alg === "ES256" &&
    [iss, own, typeof sub].join() === [ISSUER, nonce, "string"].join() &&
    [aud].flat().includes(CLIENT_ID) &&
    sub.length > 0 &&
    exp > now() - 60
  )
}

let text = ""
const linesFor = (nonce) => text.replaceAll("@nonce@", nonce).replaceAll("@now@", String(now())).split("\n", 2)

const idToken = (lines) => (lines.length === 2 ? signed(...lines) : (lines[0] ?? ""))

const open = renewedSite(() =>
  openProviderSite({
    answers: {
      "/token": (nonce) =>
        Response.json({ access_token: "an-access-token", token_type: "bearer", id_token: idToken(linesFor(nonce)) }),
    },
  }),
)

export async function fuzz(bytes) {
  text = Buffer.from(bytes).toString("utf8")
  let isIn = false
  await survive(async () => {
    const { nonce, response } = await (await open()).signIn()
    isIn = signsIn(response)
    if (!isIn) return
    const lines = linesFor(nonce)
    if (lines.length !== 2) throw new Finding("an unsigned token signs a user in")
    if (!mayPass(lines, nonce)) throw new Finding("invalid claims sign a user in")
  })
  return isIn
}
