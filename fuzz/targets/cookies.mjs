/** A whole `Cookie` header, for all code that reads cookies. */
import { siteWithStore, siteWithTokens } from "../lib/everything.mjs"
import { Finding, survive } from "../lib/oracle.mjs"
import { signsIn, toHeader } from "../lib/site.mjs"

const PATHS = [
  "/auth/session",
  "/auth/signin",
  "/auth/callback/oauth?code=c&state=s",
  "/auth/callback/email?token=t&email=a@b.test",
]

export async function fuzz(bytes) {
  const cookie = toHeader(bytes)
  await survive(async () => {
    for (const site of [await siteWithTokens(), await siteWithStore()])
      for (const path of PATHS) if (signsIn(await site.get(path, cookie))) throw new Finding(`${path} signs a user in`)
  })
}
