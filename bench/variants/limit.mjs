/**
 * The minimal cost of reading an encrypted session: hand-written for this one cookie, with `node:crypto` and a key that
 * is derived once. It has no configuration, callbacks, renewal, errors or caches.
 *
 * @module
 */
import { createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { createApp, listen } from "./app.mjs"
import { COOKIE, SECRET } from "./constants.mjs"

const key = Buffer.from(hkdfSync("sha256", SECRET, COOKIE, `Auth.js Generated Encryption Key (${COOKIE})`, 64))
const [macKey, cipherKey] = [key.subarray(0, 32), key.subarray(32)]

/** The cookie's value, with its chunks joined in the order in which browsers send them. */
function cookieText(header = "") {
  let text = ""
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=")
    const name = pair.slice(0, at).trim()
    if (name === COOKIE || name.startsWith(`${COOKIE}.`)) text += pair.slice(at + 1)
  }
  return text
}

/** A256CBC-HS512, RFC 7518 §5.2.2.2. */
function open(token) {
  const [header, , iv, ciphertext, tag] = token.split(".")
  if (!tag) return null
  const ivBytes = Buffer.from(iv, "base64url")
  const bytes = Buffer.from(ciphertext, "base64url")
  const bits = Buffer.alloc(8)
  bits.writeBigUInt64BE(BigInt(header.length * 8))
  const mac = createHmac("sha512", macKey).update(header).update(ivBytes).update(bytes).update(bits).digest()
  const tagBytes = Buffer.from(tag, "base64url")
  if (tagBytes.length !== 32 || !timingSafeEqual(tagBytes, mac.subarray(0, 32))) return null
  const decipher = createDecipheriv("aes-256-cbc", cipherKey, ivBytes)
  return decipher.update(bytes, undefined, "utf8") + decipher.final("utf8")
}

function readSession(req) {
  const token = cookieText(req.headers.cookie)
  const text = token && open(token)
  const claims = text && JSON.parse(text)
  return claims && claims.exp > Date.now() / 1000 ? { user: { name: claims.name } } : null
}

listen(createApp(readSession))
