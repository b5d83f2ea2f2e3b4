import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The signed-in user's account in DigitalOcean's API.
 * @see https://docs.digitalocean.com/reference/api/digitalocean/#tag/Account
 */
export interface DigitalOceanProfile {
  /** The user's id, not the team's. */
  uuid: string
  name?: string
  email: string
  email_verified: boolean
  status: "active" | "warning" | "locked"
  status_message: string
  droplet_limit: number
  floating_ip_limit: number
  /** The team that the user granted access to. */
  team?: { uuid: string; name: string }
  // biome-ignore lint/suspicious/noExplicitAny: DigitalOcean adds members over time
  [member: string]: any
}

const ACCOUNT_URL = "https://api.digitalocean.com/v2/account"

/**
 * Sign-in with DigitalOcean.
 *
 * Environment: `AUTH_DIGITALOCEAN_ID`, `AUTH_DIGITALOCEAN_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/digitalocean`.
 * Console: https://cloud.digitalocean.com/account/api/applications
 *
 * - The scope `account:read` covers the account, not its resources. The user grants access to one team; the account id
 *   is the same for every team.
 * - No picture.
 *
 * @example
 * import DigitalOcean from "latchkey/providers/digitalocean"
 * app.use(authMiddleware({ providers: [DigitalOcean] }))
 */
export default function DigitalOcean<P extends DigitalOceanProfile = DigitalOceanProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "digitalocean",
    name: "DigitalOcean",
    type: "oauth",
    authorization: {
      url: "https://cloud.digitalocean.com/v1/oauth/authorize",
      params: { scope: "account:read" },
    },
    token: "https://cloud.digitalocean.com/v1/oauth/token",
    userinfo: userinfoFrom<P, { account: P }>("DigitalOcean", ACCOUNT_URL, ({ account }) => account),
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ uuid, name, email }) {
      return { id: requireId("DigitalOcean", uuid), name: firstText(name), email: firstText(email), image: null }
    },
    style: { brandColor: "#0080FF" },
    options,
  }
}
