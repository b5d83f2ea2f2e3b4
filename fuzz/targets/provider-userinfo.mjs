/** The response of a userinfo endpoint after an id_token with a subject. */
import { MemoryAdapter } from "../../dist/adapters/memory.js"
import { Finding, survive } from "../lib/oracle.mjs"
import { answerOf, openProviderSite } from "../lib/provider.mjs"
import { renewedSite, signsIn } from "../lib/site.mjs"

let content = Buffer.alloc(0)
const open = renewedSite(() =>
  openProviderSite({
    answers: { "/userinfo": () => answerOf(content) },
    provider: { idToken: false },
    config: { adapter: MemoryAdapter(), session: { strategy: "jwt" } },
  }),
)

/** Whether it has the subject of the id_token (OpenID Connect Core §5.3.2). */
function isOfSubject(bytes) {
  try {
    return (
      JSON.parse(
        Buffer.from(bytes)
          .toString("utf8")
          .replace(/^200\n/, ""),
      ).sub === "ada"
    )
  } catch {
    return false
  }
}

export async function fuzz(bytes) {
  content = bytes
  let isIn = false
  await survive(async () => {
    isIn = signsIn((await (await open()).signIn()).response)
    if (isIn && !isOfSubject(bytes)) throw new Finding("userinfo of another subject signs a user in")
  })
  return isIn
}
