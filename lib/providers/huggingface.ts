import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Hugging Face's id_token.
 * @see https://huggingface.co/docs/hub/oauth
 */
export interface HuggingfaceProfile {
  /** Stays the same when the account is renamed. */
  sub: string
  name?: string
  preferred_username?: string
  /** Address of the user's profile page. */
  profile?: string
  picture?: string
  website?: string
  email?: string
  email_verified?: boolean
  isPro?: boolean
  /** With the scope `read-billing`. */
  canPay?: boolean
  orgs?: {
    sub: string
    name: string
    preferred_username: string
    picture: string
    isEnterprise: boolean
    canPay?: boolean
    roleInOrg?: string
    // biome-ignore lint/suspicious/noExplicitAny: additional members depend on what the organization grants
    [member: string]: any
  }[]
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add claims, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Hugging Face.
 *
 * Environment: `AUTH_HUGGINGFACE_ID`, `AUTH_HUGGINGFACE_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/huggingface`.
 * Console: https://huggingface.co/settings/applications/new
 *
 * - Enable the scopes `openid`, `profile` and `email` of the application.
 * - `authorization: { params: { scope: "openid profile email read-repos", orgIds: "<id>" } }` requests additional
 *   scopes and access to an organization.
 *
 * @example
 * import Huggingface from "latchkey/providers/huggingface"
 * app.use(authMiddleware({ providers: [Huggingface] }))
 */
export default function Huggingface<P extends HuggingfaceProfile = HuggingfaceProfile>(
  options: OIDCUserConfig<P> = {},
): OIDCConfig<P> {
  return {
    id: "huggingface",
    name: "Hugging Face",
    type: "oidc",
    issuer: "https://huggingface.co",
    style: { brandColor: "#FFD21E" },
    options,
  }
}
