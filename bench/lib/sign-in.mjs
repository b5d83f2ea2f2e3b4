/**
 * The sign-ins of the variants' clients. Each returns a Cookie header.
 *
 * @module
 */
import { personOf } from "../variants/constants.mjs"

/** The variant's client id at the provider. */
export const CLIENT_ID = "bench"

const JSON_HEADERS = { "content-type": "application/json", origin: "http://127.0.0.1" }

/** Stores the cookies that a response sets, and deletes those that it clears. */
function keepCookies(jar, response) {
  for (const line of response.headers.getSetCookie()) {
    const [pair] = line.split(";")
    const at = pair.indexOf("=")
    if (/max-age=0\b|expires=thu, 01 jan 1970/i.test(line)) jar.delete(pair.slice(0, at))
    else jar.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

const headerOf = (jar) => [...jar].map(([name, value]) => `${name}=${value}`).join("; ")

async function cookiesOf(response) {
  await response.arrayBuffer()
  const jar = new Map()
  keepCookies(jar, response)
  return headerOf(jar)
}

/** Uses a route of the variant that signs in the named user. */
export async function byRoute({ server }, index) {
  const query = new URLSearchParams(personOf(index))
  return cookiesOf(await fetch(`${server.origin}/sign-in?${query}`, { method: "POST" }))
}

/** Signs up as a new user with a password. */
export async function bySignUp({ server }, index) {
  const { name, email } = personOf(index)
  const body = JSON.stringify({ name, email, password: "a password of many characters" })
  const answer = await fetch(`${server.origin}/api/auth/sign-up/email`, { method: "POST", headers: JSON_HEADERS, body })
  return cookiesOf(answer)
}

/** Signs in at an OpenID provider, through all redirects. */
export async function byIssuer({ server, companion }, index) {
  if (index === 0) await companion.ask({ client_id: CLIENT_ID, redirect_uris: [`${server.origin}/callback`] })
  const jars = new Map([server, companion].map(({ origin }) => [origin, new Map()]))
  let url = new URL("/login", server.origin)
  for (let steps = 0; url && steps < 10; steps++) {
    const jar = jars.get(url.origin)
    const answer = await fetch(url, { redirect: "manual", headers: { cookie: headerOf(jar) } })
    await answer.arrayBuffer()
    keepCookies(jar, answer)
    const { pathname, origin } = url
    const location = answer.headers.get("location")
    url = location && !(origin === server.origin && pathname === "/callback") ? new URL(location, url) : undefined
  }
  return headerOf(jars.get(server.origin))
}
