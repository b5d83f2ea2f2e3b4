import { randomBytes } from "node:crypto"
import { encode } from "../../dist/jwt.js"
import { COOKIE, SECRET } from "../variants/constants.mjs"

const request = (value) =>
  `GET /me HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nCookie: ${COOKIE}=${value}\r\n\r\n`

/** A text of constant length for each number, so that no two cookies are equal. */
const lettersOf = (number) => number.toString(36).padStart(8, "0")

const seal = (secret) =>
  encode({
    token: { name: "Person 000000", email: "person-000000@example.com", picture: null, sub: "000000" },
    secret,
    salt: COOKIE,
  })

/** The same token with a different ciphertext each time, which does not match its tag. */
function changed(token) {
  const [header, key, iv, ciphertext, tag] = token.split(".")
  const start = `${header}.${key}.${iv}.`
  const end = `${ciphertext.slice(8)}.${tag}`
  let number = 0
  return () => request(`${start}${lettersOf(number++)}${end}`)
}

function garbage(length) {
  const rest = randomBytes(length).toString("base64url").slice(8, length)
  let number = 0
  return () => request(lettersOf(number++) + rest)
}

/** Requests with forged cookies, each used once. */
export async function forgedRequests() {
  const own = await seal(SECRET)
  const other = await seal("another secret of more than thirty-two characters")
  return {
    "a token with a wrong tag": changed(own),
    "a token of another secret": changed(other),
    "not a token": garbage(own.length),
  }
}
