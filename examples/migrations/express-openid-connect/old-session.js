/**
 * Decrypts a session cookie of express-openid-connect, so that you can remove the package at once.
 */
import { hkdfSync } from "node:crypto"
import { parseCookie } from "cookie"
import { compactDecrypt, decodeJwt } from "jose"

const NAME = "appSession"

/** Returns the cookie's value. A long value is split into `appSession.0`, `appSession.1` and so on. */
function valueIn(cookies) {
  let value = cookies[NAME] ?? ""
  for (let i = 0; cookies[`${NAME}.${i}`]; i++) value += cookies[`${NAME}.${i}`]
  return value
}

/** Returns the claims of the session's id_token, or null if the cookie is invalid or has expired. */
export async function readOldSession(cookieHeader, secret) {
  const key = new Uint8Array(hkdfSync("sha256", secret, "", "JWE CEK", 32))
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(valueIn(parseCookie(cookieHeader)), key, {
      keyManagementAlgorithms: ["dir"],
      contentEncryptionAlgorithms: ["A256GCM"],
    })
    if (!(Number(protectedHeader.exp) > Date.now() / 1000)) return null
    const { id_token } = JSON.parse(new TextDecoder().decode(plaintext))
    // It was verified when it was stored, and only the application could write this cookie.
    return decodeJwt(id_token)
  } catch {
    return null
  }
}
