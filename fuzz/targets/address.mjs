/** A path below `/auth/` with its query, requested by GET, HEAD and POST. */
import { siteWithTokens } from "../lib/everything.mjs"
import { Finding, survive } from "../lib/oracle.mjs"
import { signsIn } from "../lib/site.mjs"

export async function fuzz(bytes) {
  const path = `/auth/${Buffer.from(bytes).toString("utf8")}`
  await survive(async () => {
    const site = await siteWithTokens()
    const headers = { cookie: site.cookie, accept: "text/html" }
    const answers = [
      await site.send(path, { headers }),
      await site.send(path, { method: "HEAD", headers }),
      await site.post(path, {}),
    ]
    if (answers.some(signsIn)) throw new Finding("it signs a user in")
  })
}
