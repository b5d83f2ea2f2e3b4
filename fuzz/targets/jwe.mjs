/** An encrypted value of a cookie, which can't be forged without the secret. */
import { decode, encode } from "../../dist/jwt.js"
import { siteWithTokens } from "../lib/everything.mjs"
import { Finding, survive } from "../lib/oracle.mjs"
import { SECRET, toHeader } from "../lib/site.mjs"

const salt = "__Secure-authjs.session-token"
const STATE = "__Host-authjs.state.00000000000"

/** `@sealed@` is replaced by a token that was encrypted for another purpose. */
const other = await encode({ token: { sub: "ada" }, secret: SECRET, salt: "another purpose" })

export async function fuzz(bytes) {
  const token = toHeader(bytes).replaceAll("@sealed@", other)
  await survive(async () => {
    const claims = await decode({ token, secret: SECRET, salt }).catch((error) => {
      if (error.name !== "SealError") throw new Finding(`it failed by a ${error.name}`, { cause: error })
      return null
    })
    if (claims !== null) throw new Finding("it opened")
    const site = await siteWithTokens()
    const value = encodeURIComponent(token)
    const response = await site.get("/auth/session", `${salt}=${value}; ${STATE}=${value}`)
    if ((await response.json()) !== null) throw new Finding("a forged value is accepted as a session")
  })
}
