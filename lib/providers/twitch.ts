import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"

/**
 * The claims of Twitch's id_token. Only requested claims are present.
 * @see https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/#requesting-claims
 */
export interface TwitchProfile extends IdTokenClaims {
  azp: string
  /** The display name. */
  preferred_username: string
  /** When the account was last changed. */
  updated_at?: string
}

type ResponseBody = Record<string, unknown>

/** Twitch returns the scopes as a list. RFC 6749 §5.1 requires a string. */
function withScopeString({ scope, ...body }: ResponseBody): ResponseBody {
  if (Array.isArray(scope)) return { ...body, scope: scope.join(" ") }
  return typeof scope === "string" ? { ...body, scope } : body
}

/** Twitch's errors are `{ status, message }`. RFC 6749 §5.2 requires an error code. */
function withErrorCode({ error, message, ...body }: ResponseBody): ResponseBody {
  if (message === "Invalid refresh token") return { error: "invalid_grant", error_description: message }
  if (typeof error === "string") return { ...body, error, error_description: body["error_description"] ?? message }
  return { error: "invalid_request", error_description: message }
}

async function conform(response: Response): Promise<Response | undefined> {
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body !== "object" || body === null) return undefined
  const { status, ok } = response
  return Response.json(ok ? withScopeString({ ...body }) : withErrorCode({ ...body }), { status })
}

/**
 * Sign-in with Twitch.
 * Console: https://dev.twitch.tv/console/apps
 * - The redirect URI must be https, except on localhost.
 * - The id_token contains only the requested claims. To request more claims, set `authorization: { params: { claims }
 *   }`.
 */
const Twitch = oidcProvider<TwitchProfile>("twitch", "Twitch", {
  issuer: "https://id.twitch.tv/oauth2",
  authorization: {
    params: {
      scope: "openid user:read:email",
      claims: { id_token: { email: null, email_verified: null, picture: null, preferred_username: null } },
    },
  },
  token: { conform },
  revocation: "https://id.twitch.tv/oauth2/revoke",
  client: { token_endpoint_auth_method: "client_secret_post" },
  apiOrigins: ["https://api.twitch.tv"],
  brandColor: "#65459B",
})

export default Twitch
