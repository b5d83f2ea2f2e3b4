import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { firstText, ownVariableOf, requireId, variableName } from "./vendor.js"

/**
 * The claims of NetSuite's userinfo, or what a RESTlet of your own answers, which is `runtime.getCurrentUser()` as a
 * rule.
 * @see https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_160855370280.html
 * @see https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_4296359529.html
 */
export interface NetSuiteProfile {
  /** From userinfo: a person in a role. */
  sub?: string
  /** From a RESTlet: the entity of the person, a number. */
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
  // biome-ignore lint/suspicious/noExplicitAny: a RESTlet answers what its author likes
  [member: string]: any
}

/** What the factory takes. */
export type NetSuiteOptions<P> = OAuthUserConfig<P> & {
  /** The account: `1234567`, or `1234567_SB1` for a sandbox. @default process.env.AUTH_NETSUITE_ACCOUNT_ID */
  accountID?: string | undefined
}

/**
 * The account as it stands in host names. Without one it is a blank to be filled in, which no host name may hold: the
 * check of the configuration shows it.
 */
const hostOf = (options: Pick<NetSuiteOptions<NetSuiteProfile>, "id" | "accountID">): string => {
  const account = options.accountID || ownVariableOf("netsuite", "ACCOUNT_ID", options)
  return account ? account.toLowerCase().replaceAll("_", "-") : `<${variableName("netsuite", "ACCOUNT_ID", options)}>`
}

/**
 * Sign-in with NetSuite.
 *
 * Environment: `AUTH_NETSUITE_ID`, `AUTH_NETSUITE_SECRET`, and the account as `AUTH_NETSUITE_ACCOUNT_ID`.
 * Redirect URI: `https://example.com/auth/callback/netsuite`.
 * Console: NetSuite, Setup > Integration > Manage Integrations
 *
 * - As it stands it needs the feature "NetSuite as OIDC Provider" and its scopes `openid` and `email` on the integration
 *   record. There is no name then, and an account here is a person in one role.
 * - With `userinfo`, the external address of a RESTlet of your own that answers `runtime.getCurrentUser()`, it asks for
 *   the scopes `restlets` and `rest_webservices` instead, and the account is the person's entity. The ids of the two
 *   ways differ: stay with one.
 * - NetSuite takes redirect URIs of https only, on a machine of one's own too.
 * - There is no picture. The documentation does not say that an e-mail address is proven, so it links no accounts.
 *
 * @example
 * import NetSuite from "latchkey/providers/netsuite"
 * app.use(authMiddleware({ providers: [NetSuite({ accountID: "1234567" })] }))
 */
export default function NetSuite<P extends NetSuiteProfile = NetSuiteProfile>(
  options: NetSuiteOptions<P> = {},
): OAuth2Config<P> {
  const account = hostOf(options)
  const oauth = `https://${account}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1`
  // Each of the two features has scopes of its own.
  const scope = options.userinfo ? "restlets rest_webservices" : "openid email"
  return {
    id: "netsuite",
    name: "NetSuite",
    type: "oauth",
    checks: ["state"],
    authorization: { url: `https://${account}.app.netsuite.com/app/login/oauth2/authorize.nl`, params: { scope } },
    token: `${oauth}/token`,
    userinfo: `${oauth}/userinfo`,
    profile({ sub, id, name, email }) {
      return { id: requireId("NetSuite", sub ?? id), name: firstText(name), email: firstText(email), image: null }
    },
    style: { brandColor: "#181a1b" },
    options,
  }
}
