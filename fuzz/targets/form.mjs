/** The body of a form with a valid CSRF token. */
import { siteWithTokens } from "../lib/everything.mjs"
import { Finding, survive } from "../lib/oracle.mjs"
import { signsIn } from "../lib/site.mjs"

const PATHS = [
  "/auth/signin/email",
  "/auth/signin/oauth",
  "/auth/callback/credentials",
  "/auth/callback/email",
  "/auth/callback/passkey",
  "/auth/session",
  "/auth/signout",
]

export async function fuzz(bytes) {
  await survive(async () => {
    const site = await siteWithTokens()
    const body = Buffer.concat([Buffer.from(`csrfToken=${site.csrfToken}&`), bytes])
    for (const path of PATHS) if (signsIn(await site.post(path, body))) throw new Finding(`${path} signs a user in`)
  })
}
