import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Twitch's id_token; only requested claims are present.
 * @see https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/#requesting-claims
 */
export interface TwitchProfile {
  iss: string
  sub: string
  aud: string
  azp: string
  iat: number
  exp: number
  nonce?: string
  at_hash?: string
  email?: string
  email_verified?: boolean
  /** The display name. */
  preferred_username: string
  picture?: string
  /** When the account was last changed. */
  updated_at?: string
  // biome-ignore lint/suspicious/noExplicitAny: an application chooses the claims, as in Auth.js
  [claim: string]: any
}

type Answer = Record<string, unknown>

/** Twitch returns the scopes as a list; RFC 6749 §5.1 requires a string. */
function withTextScope({ scope, ...answer }: Answer): Answer {
  if (Array.isArray(scope)) return { ...answer, scope: scope.join(" ") }
  return typeof scope === "string" ? { ...answer, scope } : answer
}

/** Twitch's errors are `{ status, message }`; RFC 6749 §5.2 requires an error code. */
function withErrorCode({ error, message, ...answer }: Answer): Answer {
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
 *
 * Environment: `AUTH_TWITCH_ID`, `AUTH_TWITCH_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/twitch`; http for localhost only.
 * Console: https://dev.twitch.tv/console/apps
 *
 * - The id_token contains only the requested claims. Request more with `authorization: { params: { claims } }`.
 *
 * @example
 * import Twitch from "latchkey/providers/twitch"
 * app.use(authMiddleware({ providers: [Twitch] }))
 */
export default function Twitch<P extends TwitchProfile = TwitchProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "twitch",
    name: "Twitch",
    type: "oidc",
    issuer: "https://id.twitch.tv/oauth2",
    authorization: {
      params: {
        scope: "openid user:read:email",
        claims: { id_token: { email: null, email_verified: null, picture: null, preferred_username: null } },
      },
    },
    token: { conform },
    client: { token_endpoint_auth_method: "client_secret_post" },
    style: { brandColor: "#65459B" },
    options,
  }
}
