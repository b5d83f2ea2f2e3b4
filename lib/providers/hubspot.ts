import { isPlainObject } from "../merge.js"
import type { OAuth2Config, OAuthUserConfig, ProviderContext } from "./provider.js"
import { firstText, requireId } from "./vendor.js"

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

type HubSpotContext = ProviderContext & {
  readonly provider: { readonly clientId?: string | undefined; readonly clientSecret?: string | undefined }
}

const API = "https://api.hubapi.com/oauth/2026-03"

/** There is no userinfo: HubSpot tells whose a token is to the client that shows it. */
async function introspect({ tokens, provider, fetch = globalThis.fetch }: HubSpotContext): Promise<HubSpotProfile> {
  const url = new URL(provider.userinfo?.url ?? `${API}/token/introspect`)
  const body = new URLSearchParams({
    client_id: provider.clientId ?? "",
    client_secret: provider.clientSecret ?? "",
    token: tokens.access_token ?? "",
    token_type_hint: "access_token",
  })
  // As text, which any fetch that an application gives can send.
  const headers = { accept: "application/json", "content-type": "application/x-www-form-urlencoded" }
  const response = await fetch(url, { method: "POST", headers, body: body.toString() })
  if (!response.ok) throw new Error(`HubSpot: ${url.pathname} answered ${response.status}`)
  // As documented; profile() requires the one member that matters.
  return (await response.json()) as HubSpotProfile
}

/** HubSpot's errors are of a kind that all of its APIs share. */
async function mendRefusal(response: Response): Promise<Response | undefined> {
  const answer: unknown = await response.json().catch(() => undefined)
  if (!isPlainObject(answer) || answer["error"] !== undefined || answer["message"] === undefined) return undefined
  const error = firstText(answer["category"], answer["status"]) ?? "invalid_request"
  return Response.json({ error, error_description: answer["message"] }, { status: response.status })
}

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
    token: { url: `${API}/token`, conform: mendRefusal },
    userinfo: { url: `${API}/token/introspect`, request: introspect },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ user_id, user }) {
      const email = firstText(user)
      return { id: requireId("HubSpot", user_id), name: email, email, image: null }
    },
    style: { brandColor: "#ff7a59" },
    options,
  }
}
