import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"

/**
 * The claims of Twitch's id_token; only requested claims are present.
 * @see https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/#requesting-claims
 */
export interface TwitchProfile extends IdTokenClaims {
  azp: string
  /** The display name. */
  preferred_username: string
  /** When the account was last changed. */
  updated_at?: string
}

type Answer = Record<string, unknown>

/** Twitch returns the scopes as a list; RFC 6749 §5.1 requires a string. */
function withTextScope({ scope, ...answer }: Answer): Answer {
  if (Array.isArray(scope)) return { ...answer, scope: scope.join(" ") }
  return typeof scope === "string" ? { ...answer, scope } : answer
}

/** Twitch's errors are `{ status, message }`; RFC 6749 §5.2 requires an error code. */
function withErrorCode({ error, message, ...answer }: Answer): Answer {
  if (message === "Invalid refresh token") return { error: "invalid_grant", error_description: message }
  if (typeof error === "string") return { ...answer, error, error_description: answer["error_description"] ?? message }
  return { error: "invalid_request", error_description: message }
}

async function conform(response: Response): Promise<Response | undefined> {
  const answer: unknown = await response.json().catch(() => undefined)
  if (typeof answer !== "object" || answer === null) return undefined
  const { status, ok } = response
  return Response.json(ok ? withTextScope({ ...answer }) : withErrorCode({ ...answer }), { status })
}

/**
 * Sign-in with Twitch.
 * Console: https://dev.twitch.tv/console/apps
 * - The redirect URI must be https, except on localhost.
 * - The id_token contains only the requested claims. Request more with `authorization: { params: { claims } }`.
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
