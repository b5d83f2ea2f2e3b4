/**
 * Users who sign in with a password. Store yours in a database with a salt and a hash, never with a password.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"

// Parameters from OWASP's Password Storage Cheat Sheet. The hash is slow, so that guessing is slow.
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

// A hash needs 128 MB and one of the four threads that files and DNS use too: run two at a time and queue the rest.
let free = 2
const waiting = []

async function hash(password, salt) {
  if (free > 0) free--
  else await new Promise((resolve) => waiting.push(resolve))
  try {
    return await promisify(scrypt)(password, salt, 32, COST)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
}

async function createPassword(userId, password) {
  const salt = randomBytes(16)
  return { userId, salt, hash: await hash(password, salt) }
}

/** A user as the database stores it. */
export const carol = { id: "carol", name: "Carol", email: "carol@example.com", emailVerified: null }

/** By user name. The example's password is public, so production has none. */
const passwords = new Map()
if (process.env.NODE_ENV !== "production") passwords.set("carol", await createPassword(carol.id, "wonderland"))

/** A random password, so that an unknown name takes as long as a wrong password. */
const nobodys = await createPassword(null, randomBytes(32))

/** Removes a user's password when the owner verifies the address: a stranger may have chosen the password. */
export function clearPassword(userId) {
  for (const [name, password] of passwords) if (password.userId === userId) passwords.delete(name)
}

/** Returns the user's id, or null if the name or the password is wrong. Form fields may have any type. */
export async function checkPassword(username, password) {
  if (typeof username !== "string" || typeof password !== "string") return null
  const known = passwords.get(username.trim().toLowerCase()) ?? nobodys
  const isRight = timingSafeEqual(await hash(password, known.salt), known.hash)
  return isRight ? known.userId : null
}
