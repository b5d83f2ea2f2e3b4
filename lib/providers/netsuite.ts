import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { ownVariable, variableName } from "../provider-kit/vendor.js"

/**
 * The claims of NetSuite's userinfo, or the response of your own RESTlet, usually `runtime.getCurrentUser()`.
 * @see https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_160855370280.html
 * @see https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_4296359529.html
 */
export interface NetSuiteProfile extends OtherMembers {
  /** From userinfo: the id of a user in one role. */
  sub?: string
  /** From a RESTlet: the number of the user's entity. */
  id: number
  name: string
  email: string
  location: number
  role: number
  roleId?: string
  roleCenter?: string
  contact?: number
  subsidiary?: number
  department?: number
}

/** Options of the factory. */
export type NetSuiteOptions<P> = OAuthUserConfig<P> & {
  /** The account id: `1234567`, or `1234567_SB1` for a sandbox. @default process.env.AUTH_NETSUITE_ACCOUNT_ID */
  accountID?: string | undefined
}

/**
 * Returns the account id as it is written in host names. Without an account id, returns a placeholder that is invalid
 * in a host name, so that the configuration check reports it.
 */
const toAccountHost = (options: Pick<NetSuiteOptions<NetSuiteProfile>, "id" | "accountID">): string => {
  const account = options.accountID || ownVariable("netsuite", "ACCOUNT_ID", options)
  return account ? account.toLowerCase().replaceAll("_", "-") : `<${variableName("netsuite", "ACCOUNT_ID", options)}>`
}

/**
 * Sign-in with NetSuite.
 * Environment: also `AUTH_NETSUITE_ACCOUNT_ID`, the account id.
 * Console: NetSuite, Setup > Integration > Manage Integrations
 * - By default the provider needs the feature "NetSuite as OIDC Provider" and the scopes `openid` and `email` on the
 *   integration record. The user then has no name, and the account id identifies a user in one role.
 * - Instead you can set `userinfo` to the external URL of your own RESTlet that returns `runtime.getCurrentUser()`. The
 *   scopes are then `restlets` and `rest_webservices`, and the account id is the id of the user's entity. Do not change
 *   between userinfo and a RESTlet later, because their ids differ.
 * - The redirect URI must be https, also in development.
 * - NetSuite does not document whether email addresses are verified. The user has no picture.
 * @example
 * import NetSuite from "latchkey/providers/netsuite"
 * app.use(authMiddleware({ providers: [NetSuite({ accountID: "1234567" })] }))
 */
export default function NetSuite<P extends NetSuiteProfile = NetSuiteProfile>(
  options: NetSuiteOptions<P> = {},
): OAuth2Config<P> {
  const account = toAccountHost(options)
  const oauthUrl = `https://${account}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1`
  // A RESTlet needs other scopes than userinfo.
  const scope = options.userinfo ? "restlets rest_webservices" : "openid email"
  return oauthProvider<P>("netsuite", "NetSuite", {
    checks: ["state"],
    authorization: { url: `https://${account}.app.netsuite.com/app/login/oauth2/authorize.nl`, params: { scope } },
    token: `${oauthUrl}/token`,
    userinfo: `${oauthUrl}/userinfo`,
    user: ({ sub, id, name, email }) => ({ id: sub ?? id, name, email }),
    brandColor: "#181a1b",
  })(options)
}
