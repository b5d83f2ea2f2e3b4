import { type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

/** @see https://docs.digitalocean.com/reference/api/digitalocean/#tag/Account */
export interface DigitalOceanProfile extends OtherMembers {
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
}

const ACCOUNT_URL = "https://api.digitalocean.com/v2/account"

/**
 * Sign-in with DigitalOcean.
 * Console: https://cloud.digitalocean.com/account/api/applications
 * - The scope `account:read` allows reading the account, but not the account's resources. The user grants access to one
 *   team. The account id is the same for every team.
 * - The user has no picture.
 */
const DigitalOcean = oauthProvider<DigitalOceanProfile>("digitalocean", "DigitalOcean", {
  authorization: {
    url: "https://cloud.digitalocean.com/v1/oauth/authorize",
    params: { scope: "account:read" },
  },
  token: "https://cloud.digitalocean.com/v1/oauth/token",
  userinfo: userinfoFrom<DigitalOceanProfile, { account: DigitalOceanProfile }>(
    "DigitalOcean",
    ACCOUNT_URL,
    ({ account }) => account,
  ),
  client: { token_endpoint_auth_method: "client_secret_post" },
  user: ({ uuid, name, email }) => ({ id: uuid, name, email }),
  apiOrigins: ["https://api.digitalocean.com"],
  brandColor: "#0080FF",
})

export default DigitalOcean
