/**
 * The users of the old and the new applications.
 */
import { randomBytes, scrypt, scryptSync, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"

// Parameters from OWASP's Password Storage Cheat Sheet. Store salts and hashes in your database, never passwords.
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

// The password is public.
if (process.env.NODE_ENV === "production") throw new Error("Read the people from your database: this password is known")

const salt = randomBytes(16)

const people = [{ id: "1", username: "carol", name: "Carol", hash: scryptSync("wonderland", salt, 32, COST) }]

const shown = (person) => person && { id: person.id, name: person.name }

export const findPerson = (id) => shown(people.find((person) => person.id === id))

export async function checkPassword(username, password) {
  if (typeof username !== "string" || typeof password !== "string") return undefined
  const person = people.find((one) => one.username === username)
  // Also for unknown names, so that the response time does not reveal which names exist.
  const tried = await hash(password, salt)
  return person && timingSafeEqual(tried, person.hash) ? shown(person) : undefined
}
