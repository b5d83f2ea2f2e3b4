/**
 * People who sign in with a password. Yours are in a database, where each has a salt and a hash, and never a password.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"

// Slow on purpose, so that guessing is: what OWASP's Password Storage Cheat Sheet asks for.
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

const hash = (password, salt) => promisify(scrypt)(password, salt, 32, COST)

async function createPassword(userId, password) {
  const salt = randomBytes(16)
  return { userId, salt, hash: await hash(password, salt) }
}

/** A user as the database holds it. */
export const carol = { id: "carol", name: "Carol", email: "carol@example.com", emailVerified: null }

/** By user name. */
const passwords = new Map([["carol", await createPassword(carol.id, "wonderland")]])

/** Of somebody whose password nobody knows: an unknown name then takes as long as a wrong password. */
const nobodys = await createPassword(null, randomBytes(32))

/** The user's id, or null when the name or the password is wrong. What a form sends may be anything. */
export async function checkPassword(username, password) {
  if (typeof username !== "string" || typeof password !== "string") return null
  const known = passwords.get(username.trim().toLowerCase()) ?? nobodys
  const isRight = timingSafeEqual(await hash(password, known.salt), known.hash)
  return isRight ? known.userId : null
}
