import type { OAuthConfig } from "../../providers/provider.js"
import type { SignInMethod } from "../method.js"
import { checkOAuth } from "./check.js"
import { finishOAuth, resumeOAuth } from "./finish.js"
import { toGet } from "./form-post.js"
import { prepareOAuth, type ReadyOAuth } from "./prepare.js"
import { handOn } from "./proxy.js"
import { startOAuth } from "./start.js"

/** OAuth 2 (RFC 6749) and OpenID Connect, both by authorization code. */
export const oauthMethod: SignInMethod<OAuthConfig, ReadyOAuth> = {
  check: checkOAuth,
  prepare: prepareOAuth,
  start: startOAuth,
  intercept: (call, provider, runtime) =>
    call.method === "POST" ? toGet(call, provider, runtime) : handOn(call, provider, runtime),
  resume: resumeOAuth,
  finish: finishOAuth,
  needs: {
    adapter: ["createUser", "getUser", "getUserByAccount", "getUserByEmail", "linkAccount"],
    finishBy: (provider) => (provider.usesFormPost ? ["GET", "POST"] : ["GET"]),
    crossSitePost: true,
  },
}
