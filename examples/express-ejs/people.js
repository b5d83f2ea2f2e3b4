/**
 * People who sign in with a password. Yours are in a database, where each has a salt and a hash, and never a password.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"

// Slow on purpose, so that guessing is: what OWASP's Password Storage Cheat Sheet asks for.
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

const hash = (password, salt) => promisify(scrypt)(password, salt, 32, COST)

async function createPerson(user, password) {
  const salt = randomBytes(16)
  return { user, salt, hash: await hash(password, salt) }
}

const people = new Map([
  ["carol", await createPerson({ id: "carol", name: "Carol", email: "carol@example.com" }, "wonderland")],
])

/** Somebody whose password nobody knows: an unknown name then takes as long as a wrong password. */
const nobody = await createPerson(null, randomBytes(32))

/** The user, or null when the name or the password is wrong. What a form sends may be anything. */
export async function checkPassword(username, password) {
  if (typeof username !== "string" || typeof password !== "string") return null
  const person = people.get(username.trim().toLowerCase()) ?? nobody
  const isRight = timingSafeEqual(await hash(password, person.salt), person.hash)
  return isRight ? person.user : null
}
