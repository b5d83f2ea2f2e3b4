/** The response of a token endpoint to a plain OAuth client. */
import { survive } from "../lib/oracle.mjs"
import { answerOf, openProviderSite } from "../lib/provider.mjs"
import { renewedSite, signsIn } from "../lib/site.mjs"

let content = Buffer.alloc(0)
const open = renewedSite(() =>
  openProviderSite({
    answers: { "/token": () => answerOf(content) },
    provider: {
      ...{ type: "oauth", authorization: "https://op.test/authorize" },
      ...{ token: "https://op.test/token", userinfo: "https://op.test/userinfo" },
      profile: ({ sub, name, email }) => ({ id: sub, name, email }),
    },
  }),
)

export async function fuzz(bytes) {
  content = bytes
  let isIn = false
  await survive(async () => {
    isIn = signsIn((await (await open()).signIn()).response)
  })
  return isIn
}
