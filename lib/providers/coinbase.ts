import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Coinbase.
 * @see https://docs.cdp.coinbase.com/coinbase-app/oauth2-integration/overview
 */
export interface CoinbaseProfile {
  data: {
    id: string
    name: string | null
    username: string | null
    /** With the scope `wallet:user:email`. */
    email?: string
    avatar_url: string
    profile_location: string | null
    profile_bio: string | null
    profile_url: string | null
    resource: string
    resource_path: string
    // biome-ignore lint/suspicious/noExplicitAny: additional scopes add members, as in Auth.js
    [member: string]: any
  }
  // biome-ignore lint/suspicious/noExplicitAny: the same
  [member: string]: any
}

/**
 * Sign-in with Coinbase.
 *
 * Environment: `AUTH_COINBASE_ID`, `AUTH_COINBASE_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/coinbase`.
 * Console: https://portal.cdp.coinbase.com/, API Keys, OAuth
 *
 * - Coinbase registers new clients only for approved partners.
 * - A refresh token needs the scope `offline_access`.
 * - Email verification is not documented.
 *
 * @example
 * import Coinbase from "latchkey/providers/coinbase"
 * app.use(authMiddleware({ providers: [Coinbase] }))
 */
export default function Coinbase<P extends CoinbaseProfile = CoinbaseProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "coinbase",
    name: "Coinbase",
    type: "oauth",
    authorization: {
      url: "https://login.coinbase.com/oauth2/auth",
      params: { scope: "wallet:user:email wallet:user:read" },
    },
    token: "https://login.coinbase.com/oauth2/token",
    userinfo: "https://api.coinbase.com/v2/user",
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ data }) {
      return {
        id: requireId("Coinbase", data?.id),
        name: firstText(data?.name, data?.username),
        email: firstText(data?.email),
        image: firstText(data?.avatar_url),
      }
    },
    style: { brandColor: "#0052ff" },
    options,
  }
}
