/** A JSON body. If it starts as an object, it gets a valid CSRF token. */
import { siteWithTokens } from "../lib/everything.mjs"
import { Finding, survive } from "../lib/oracle.mjs"
import { signsIn } from "../lib/site.mjs"

const PATHS = [
  "/auth/signin/email",
  "/auth/callback/credentials",
  "/auth/callback/passkey",
  "/auth/session",
  "/auth/signout",
]

export async function fuzz(bytes) {
  await survive(async () => {
    const site = await siteWithTokens()
    const content = Buffer.from(bytes)
    const isObject = content[0] === 0x7b
    const body = isObject
      ? Buffer.concat([Buffer.from(`{"csrfToken":"${site.csrfToken}",`), content.subarray(1)])
      : content
    for (const path of PATHS)
      if (signsIn(await site.post(path, body, { type: "application/json" })))
        throw new Finding(`${path} signs a user in`)
  })
}
