/**
 * Creates sessions as the clients of the variants would get them.
 *
 * @module
 */
import { encode } from "../../dist/jwt.js"
import { COOKIE, personOf, SECRET } from "../variants/constants.mjs"

/** The additional data in a session of three chunks. */
const LARGE = { groups: Array.from({ length: 190 }, (_, i) => `a group with a long name, the ${i}.`) }
const CHUNK_SIZE = 3936

async function seal(index, more) {
  const { id: sub, ...claims } = personOf(index)
  return encode({ token: { ...claims, picture: null, sub, ...more }, secret: SECRET, salt: COOKIE })
}

const made = []

/** Cookie headers of encrypted sessions, which four variants read. They are cached, because 100,000 take long. */
export async function sealedCookies(count) {
  while (made.length < count) made.push(seal(made.length).then((token) => `${COOKIE}=${token}`))
  return Promise.all(made.slice(0, count))
}

/** The same with sessions that are too large for one cookie. */
export const largeCookies = (count) =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const token = await seal(index, LARGE)
      const chunks = token.match(new RegExp(`.{1,${CHUNK_SIZE}}`, "g"))
      return chunks.map((chunk, part) => `${COOKIE}.${part}=${chunk}`).join("; ")
    }),
  )
