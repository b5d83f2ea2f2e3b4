import type { OAuthConfig } from "../../provider-kit/provider.js"
import type { SignInMethod } from "../method.js"
import { sendWithToken } from "./api-request.js"
import { checkOAuth } from "./check.js"
import { finishOAuth, type PendingOAuth, resumeOAuth } from "./finish.js"
import { redirectPostToGet } from "./form-post.js"
import { finishLogout, resumeLogout, startLogout } from "./logout.js"
import { readLogoutToken } from "./logout-token.js"
import { prepareOAuth, type ReadyOAuth } from "./prepare.js"
import { forwardToDeployment } from "./proxy.js"
import { reauthentication } from "./reauthentication.js"
import { refreshTokens } from "./refresh.js"
import { revokeTokens } from "./revoke.js"
import { startOAuth } from "./start.js"

/** Sign-in with OAuth 2.0 (RFC 6749) and OpenID Connect. Both use the authorization code flow. */
export const oauthMethod: SignInMethod<OAuthConfig, ReadyOAuth, PendingOAuth> = {
  check: checkOAuth,
  prepare: prepareOAuth,
  start: startOAuth,
  intercept: (call, { provider }, runtime) =>
    call.method === "POST" ? redirectPostToGet(call, provider, runtime) : forwardToDeployment(call, provider, runtime),
  resume: resumeOAuth,
  finish: finishOAuth,
  readLogoutToken,
  reauthentication,
  logout: { isEnabled: ({ logsOut }) => logsOut, start: startLogout, resume: resumeLogout, finish: finishLogout },
  tokens: {
    rules: ({ tokenRules }) => tokenRules,
    refresh: refreshTokens,
    revoke: revokeTokens,
    send: sendWithToken,
  },
  needs: {
    form: "redirect",
    adapter: ["createUser", "getUser", "getUserByAccount", "getUserByEmail", "linkAccount"],
    account: "linked",
    environment: ["clientId", "clientSecret", "issuer"],
    verifiesEmail: true,
    callbackMethods: (provider) => (provider.usesFormPost ? ["GET", "POST"] : ["GET"]),
    allowsCrossSitePost: true,
    sendsLogoutTokens: (provider) => provider.usesIdToken,
    supportsLogout: ({ type }) => type === "oidc",
  },
}
