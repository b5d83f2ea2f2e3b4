import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { Loose } from "../provider-kit/provider.js"

/** The signed-in user of Coinbase: https://docs.cdp.coinbase.com/coinbase-app/oauth2-integration/overview */
export interface CoinbaseProfile extends OtherMembers {
  data: {
    id: string
    name: string | null
    username: string | null
    /** Requires the scope `wallet:user:email`. */
    email?: string
    avatar_url: string
    profile_location: string | null
    profile_bio: string | null
    profile_url: string | null
    resource: string
    resource_path: string
    [member: string]: Loose
  }
}

/**
 * Sign-in with Coinbase.
 * Console: https://portal.cdp.coinbase.com/, API Keys, OAuth
 * - Coinbase registers new clients only for approved partners.
 * - A refresh token needs the scope `offline_access`.
 * - Coinbase does not document whether email addresses are verified.
 */
const Coinbase = oauthProvider<CoinbaseProfile>("coinbase", "Coinbase", {
  authorization: {
    url: "https://login.coinbase.com/oauth2/auth",
    params: { scope: "wallet:user:email wallet:user:read" },
  },
  token: "https://login.coinbase.com/oauth2/token",
  userinfo: "https://api.coinbase.com/v2/user",
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ data }) => ({
    id: data?.id,
    name: firstText(data?.name, data?.username),
    email: data?.email,
    image: data?.avatar_url,
  }),
  apiOrigins: ["https://api.coinbase.com"],
  brandColor: "#0052ff",
})

export default Coinbase
