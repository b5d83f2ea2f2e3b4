import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The response of ZITADEL's userinfo endpoint for the scopes `profile` and `email`.
 * @see https://zitadel.com/docs/apis/openidoauth/claims
 */
export interface ZitadelProfile {
  sub: string
  name?: string
  given_name?: string
  family_name?: string
  nickname?: string
  preferred_username?: string
  gender?: string
  locale?: string | null
  picture?: string
  email?: string
  email_verified?: boolean
  updated_at?: number
  "urn:zitadel:iam:user:metadata"?: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: scopes and Actions add claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with ZITADEL Cloud or your own ZITADEL server.
 *
 * Environment: `AUTH_ZITADEL_ID`, `AUTH_ZITADEL_SECRET`, `AUTH_ZITADEL_ISSUER`.
 * Redirect URI: `https://example.com/auth/callback/zitadel`.
 * Console: `https://my-instance.zitadel.cloud/ui/console`, Projects, Applications, Web, Code
 *
 * - The issuer is the instance's address: `https://my-instance.zitadel.cloud`.
 * - The profile is read from userinfo. To read the id_token instead, enable "User Info inside ID Token" on the
 *   application and set `idToken: true`.
 * - The application must use the authentication method "Basic" (with a client secret).
 * - `profile.email_verified` comes from ZITADEL. Managers of an organization can mark an address as verified: allow
 *   linking by address only if you trust all organizations of the instance.
 *
 * @example
 * import ZITADEL from "latchkey/providers/zitadel"
 * app.use(authMiddleware({ providers: [ZITADEL({ issuer: process.env.AUTH_ZITADEL_ISSUER })] }))
 */
export default function ZITADEL<P extends ZitadelProfile = ZitadelProfile>(
  options: OIDCUserConfig<P> & { issuer: string | undefined },
): OIDCConfig<P> {
  return {
    id: "zitadel",
    name: "ZITADEL",
    type: "oidc",
    // By default the id_token identifies the account and has no other profile data.
    idToken: false,
    options,
  }
}
