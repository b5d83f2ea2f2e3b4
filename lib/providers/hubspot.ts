import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import {
  asItIs,
  conformBy,
  firstText,
  refusal,
  requireId,
  userinfoFrom,
  type VendorContext,
  type VendorRequest,
} from "./vendor.js"

/**
 * What HubSpot knows of an access token, and so of the person who gave it.
 * @see https://developers.hubspot.com/docs/api-reference/latest/authentication/oauth-tokens/token-introspect
 */
export interface HubSpotProfile {
  active: boolean
  user_id: number
  /** The person's e-mail address. */
  user?: string
  /** The HubSpot account that the person chose. */
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

/** There is no userinfo: HubSpot tells whose a token is to the client that shows it. */
async function introspection({ tokens, provider }: VendorContext): Promise<VendorRequest> {
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

/** HubSpot's errors are of a kind that all of its APIs share. */
const conform = conformBy(({ category, status, message }) => refusal(firstText(category, status), message))

/**
 * Sign-in with HubSpot.
 *
 * Environment: `AUTH_HUBSPOT_ID`, `AUTH_HUBSPOT_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/hubspot`.
 * Console: https://app.hubspot.com/developer, the app's Auth page
 *
 * - HubSpot takes https only, except on localhost.
 * - The scopes that are sent must be those of the app: `oauth` alone unless you set more.
 * - Signing in installs the app into the HubSpot account that the person chooses (`profile.hub_id`).
 * - HubSpot knows the address but no name, so the address is the name as well. It does not document whether an address
 *   is proven, so there is no `profile.email_verified`.
 * - There is no picture.
 *
 * @example
 * import HubSpot from "latchkey/providers/hubspot"
 * app.use(authMiddleware({ providers: [HubSpot] }))
 */
export default function HubSpot(options: OAuthUserConfig<HubSpotProfile> = {}): OAuth2Config<HubSpotProfile> {
  return {
    id: "hubspot",
    name: "HubSpot",
    type: "oauth",
    authorization: { url: "https://app.hubspot.com/oauth/authorize", params: { scope: "oauth" } },
    token: { url: `${API}/token`, conform },
    userinfo: userinfoFrom("HubSpot", `${API}/token/introspect`, asItIs<HubSpotProfile>, introspection),
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ user_id, user }) {
      const email = firstText(user)
      return { id: requireId("HubSpot", user_id), name: email, email, image: null }
    },
    style: { brandColor: "#ff7a59" },
    options,
  }
}
