/** Any bytes in a validly encrypted token, as from an older version, Auth.js or an application. */
import { createCipheriv, createHmac, hkdfSync } from "node:crypto"
import { siteWithTokens } from "../lib/everything.mjs"
import { Finding, survive } from "../lib/oracle.mjs"
import { SECRET } from "../lib/site.mjs"

const NAME = "__Secure-authjs.session-token"
const info = `Auth.js Generated Encryption Key (${NAME})`
const key = Buffer.from(hkdfSync("sha256", SECRET, NAME, info, 64))
const header = Buffer.from(JSON.stringify({ alg: "dir", enc: "A256CBC-HS512" })).toString("base64url")
const iv = Buffer.alloc(16)

/** RFC 7518 §5.2.2.1, implemented independently of the library. */
function sealed(bytes) {
  const cipher = createCipheriv("aes-256-cbc", key.subarray(32), iv)
  const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()])
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(header.length * 8))
  const mac = createHmac("sha512", key.subarray(0, 32)).update(header).update(iv).update(ciphertext).update(length)
  return [header, "", ...[iv, ciphertext, mac.digest().subarray(0, 32)].map((part) => part.toString("base64url"))].join(
    ".",
  )
}

/** Larger claims do not fit into three cookies. */
const MAX_BYTES = 8_000

export async function fuzz(bytes) {
  const cookie = `${NAME}=${sealed(Buffer.from(bytes).subarray(0, MAX_BYTES))}`
  let isIn = false
  await survive(async () => {
    const site = await siteWithTokens()
    const session = await (await site.get("/auth/session", cookie)).json()
    isIn = session !== null
    if (isIn && !(typeof session.user === "object" && Date.parse(session.expires) > Date.now()))
      throw new Finding(`it is accepted as the session ${JSON.stringify(session)}`)
    await site.get("/auth/signout", cookie)
    await site.post("/auth/signout", {}, { cookie })
  })
  return isIn
}
