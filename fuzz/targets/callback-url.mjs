/** The return URL, in the query, the body and the cookie. */
import { siteWithTokens } from "../lib/everything.mjs"
import { Finding, ORIGIN, survive } from "../lib/oracle.mjs"

const NAME = "__Secure-authjs.callback-url"

/** The Set-Cookie header that stores the address. */
const keptBy = (response) =>
  response.headers.getSetCookie().find((line) => line.startsWith(`${NAME}=`) && !line.includes("Max-Age=0"))

function requireOwn(response) {
  const [, value] = /=([^;]*)/.exec(keptBy(response) ?? "") ?? []
  if (value === undefined) return
  const kept = decodeURIComponent(value)
  // Parse it as a browser would.
  if (new URL(kept, "https://elsewhere.test").origin !== ORIGIN) throw new Finding(`${JSON.stringify(kept)} is kept`)
}

export async function fuzz(bytes) {
  const callbackUrl = Buffer.from(bytes).toString("utf8")
  const query = new URLSearchParams({ callbackUrl })
  const cookie = `${NAME}=${encodeURIComponent(callbackUrl.toWellFormed())}`
  await survive(async () => {
    const site = await siteWithTokens()
    const answers = [
      await site.get(`/auth/signin?${query}`),
      await site.get("/auth/signin", `${site.cookie}; ${cookie}`),
      await site.post(`/auth/signin/oauth?${query}`, {}),
      await site.post("/auth/signout", { callbackUrl }),
      await site.post("/auth/signout", {}, { cookie }),
      await site.post("/auth/callback/credentials", { callbackUrl, name: "n" }),
    ]
    answers.forEach(requireOwn)
  })
}
