/**
 * Simulates a user: signs in, visits pages, stays until the session is renewed, sends junk cookies and signs out. One
 * in ten does not sign out.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { createBrowser } from "../../bench/parts/browser.mjs"

const LOOKS = 4
/** Longer than the application's `updateAge`. */
const STAY_MS = 1_100
/** The share of users who don't sign out. */
const GOING = 0.1
/** The number of users, who visit repeatedly. */
const PEOPLE = 1_000

const COOKIE = "authjs.session-token"

/** Forged cookies: text of some length, half a token, and a long series of chunks. */
const junk = () => [
  `${COOKIE}=${randomBytes(150).toString("base64url")}`,
  `${COOKIE}=eyJhbGciOiJkaXIifQ..${randomBytes(16).toString("base64url")}.${randomBytes(200).toString("base64url")}.`,
  Array.from({ length: 20 }, (_, i) => `${COOKIE}.${i}=${randomBytes(30).toString("base64url")}`).join("; "),
  `authjs.csrf-token=${randomBytes(32).toString("hex")}%7C${randomBytes(32).toString("hex")}; authjs.callback-url=%00`,
]

class Unexpected extends Error {}

const expectThat = (condition, what, { status, text }) => {
  if (!condition) throw new Unexpected(`${what}: ${status} ${String(text).slice(0, 300)}`)
}

/** The approximate number of requests of a visit. */
export const REQUESTS_OF_A_VISIT = 18

/** One user's visit to a site; `timed` measures each request. */
export async function visitAs(number, { origin, agent, timed }) {
  const open = createBrowser(agent)
  const visit = (path, form) => timed(() => open(`${origin}${path}`, form))
  const name = `person-${number % PEOPLE}`
  const csrfOf = async () => JSON.parse((await visit("/auth/csrf")).text).csrfToken
  const isMe = async (what) => {
    const answer = await visit("/me")
    expectThat(answer.status === 200 && JSON.parse(answer.text).name === name, what, answer)
  }

  const signedIn = await visit("/auth/callback/credentials", { csrfToken: await csrfOf(), name, callbackUrl: "/me" })
  expectThat(signedIn.location === `${origin}/me`, "not signed in", { ...signedIn, text: signedIn.location })
  for (let look = 0; look < LOOKS; look++) await isMe("not signed in after the sign-in")
  await pause(STAY_MS)
  const renewed = await visit("/auth/session")
  expectThat(JSON.parse(renewed.text)?.user?.name === name, "no session to renew", renewed)
  expectThat(String(renewed.headers["set-cookie"]).includes(COOKIE), "not renewed", renewed)
  for (let look = 0; look < LOOKS; look++) await isMe("not signed in after the renewal")

  for (const cookie of junk()) {
    const answer = await timed(() => fetch(`${origin}/me`, { headers: { cookie } }))
    expectThat(answer.status === 401, "a junk cookie was accepted", {
      status: answer.status,
      text: await answer.text(),
    })
  }

  if (Math.random() < GOING) return
  const signedOut = await visit("/auth/signout", { csrfToken: await csrfOf() })
  expectThat(signedOut.status === 302, "not signed out", signedOut)
  const after = await visit("/me")
  expectThat(after.status === 401, "still signed in after the sign-out", after)
}
