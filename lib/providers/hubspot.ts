import { firstText, oauthProvider } from "../provider-kit/define.js"
import {
  identity,
  refusal,
  repairTokenResponse,
  userinfoFrom,
  type VendorContext,
  type VendorRequest,
} from "../provider-kit/vendor.js"

/**
 * HubSpot's metadata of an access token, which includes the user who granted it.
 * @see https://developers.hubspot.com/docs/api-reference/latest/authentication/oauth-tokens/token-introspect
 */
export interface HubSpotProfile {
  active: boolean
  user_id: number
  /** The user's email address. */
  user?: string
  /** The HubSpot account that the user chose. */
  hub_id: number
  hub_domain?: string
  app_id: number
  client_id: string
  scopes: string[]
  expires_in: number
  token: string
  token_type: string
  token_use: string
  is_private_distribution?: boolean
  [member: string]: unknown
}

const API = "https://api.hubapi.com/oauth/2026-03"

/**
 * Creates the request to the token metadata endpoint, which returns the token's user. HubSpot has no userinfo endpoint.
 */
async function introspectionRequest({ tokens, provider }: VendorContext): Promise<VendorRequest> {
  const { clientId = "", clientSecret = "" } = provider
  return {
    headers: { authorization: "" },
    form: {
      client_id: clientId,
      client_secret: typeof clientSecret === "function" ? await clientSecret({ clientId }) : clientSecret,
      token: String(tokens.access_token),
      token_type_hint: "access_token",
    },
  }
}

/** Converts errors in HubSpot's own format to those of RFC 6749 §5.2. */
const conform = repairTokenResponse(({ category, status, message }) =>
  refusal(status === "BAD_REFRESH_TOKEN" ? "invalid_grant" : firstText(category, status), message),
)

/**
 * Sign-in with HubSpot.
 * Console: https://app.hubspot.com/developer, the app's Auth page
 * - The redirect URI must be https, except on localhost.
 * - The requested scopes must match those of the app. The default is `oauth` alone.
 * - Sign-in installs the app in the HubSpot account that the user chooses (`profile.hub_id`).
 * - The user's name is the email address. HubSpot does not document whether email addresses are verified. The user has
 *   no picture.
 */
const HubSpot = oauthProvider<HubSpotProfile>("hubspot", "HubSpot", {
  authorization: { url: "https://app.hubspot.com/oauth/authorize", params: { scope: "oauth" } },
  token: { url: `${API}/token`, conform },
  userinfo: userinfoFrom("HubSpot", `${API}/token/introspect`, identity<HubSpotProfile>, introspectionRequest),
  client: { token_endpoint_auth_method: "client_secret_post" },
  user({ user_id, user }) {
    const email = firstText(user)
    return { id: user_id, name: email, email }
  },
  apiOrigins: ["https://api.hubapi.com"],
  brandColor: "#ff7a59",
})

export default HubSpot
