/**
 * Opens a session cookie of express-openid-connect, so that the package can go at once.
 */
import { hkdfSync } from "node:crypto"
import { parseCookie } from "cookie"
import { compactDecrypt, decodeJwt } from "jose"

const NAME = "appSession"

/** The cookie's value; a long one comes in parts, `appSession.0` and on. */
function valueIn(cookies) {
  let value = cookies[NAME] ?? ""
  for (let i = 0; cookies[`${NAME}.${i}`]; i++) value += cookies[`${NAME}.${i}`]
  return value
}

/** The claims of the id_token that the session was made of; null when it does not open or has ended. */
export async function readOldSession(cookieHeader, secret) {
  const key = new Uint8Array(hkdfSync("sha256", secret, "", "JWE CEK", 32))
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(valueIn(parseCookie(cookieHeader)), key, {
      keyManagementAlgorithms: ["dir"],
      contentEncryptionAlgorithms: ["A256GCM"],
    })
    if (!(Number(protectedHeader.exp) > Date.now() / 1000)) return null
    const { id_token } = JSON.parse(new TextDecoder().decode(plaintext))
    // It was verified when it was put there, and nobody else could have written this cookie.
    return decodeJwt(id_token)
  } catch {
    return null
  }
}
