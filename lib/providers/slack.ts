import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"

/**
 * The claims of Slack's id_token.
 * @see https://docs.slack.dev/reference/methods/openid.connect.token
 */
export interface SlackProfile {
  iss: string
  /** Identifies the user within the workspace. */
  sub: string
  aud: string
  exp: number
  iat: number
  auth_time: number
  /** Empty if the request had none. */
  nonce: string
  at_hash: string
  "https://slack.com/team_id": string
  "https://slack.com/user_id": string
  email: string
  email_verified: boolean
  /** When the address was verified, in seconds. */
  date_email_verified?: number
  locale: string
  name: string
  picture?: string
  given_name: string
  family_name: string
  "https://slack.com/team_name"?: string
  "https://slack.com/team_domain"?: string
  "https://slack.com/user_image_24"?: string
  "https://slack.com/user_image_32"?: string
  "https://slack.com/user_image_48"?: string
  "https://slack.com/user_image_72"?: string
  "https://slack.com/user_image_192"?: string
  "https://slack.com/user_image_512"?: string
  "https://slack.com/user_image_1024"?: string
  "https://slack.com/team_image_34"?: string
  "https://slack.com/team_image_44"?: string
  "https://slack.com/team_image_68"?: string
  "https://slack.com/team_image_88"?: string
  "https://slack.com/team_image_102"?: string
  "https://slack.com/team_image_132"?: string
  "https://slack.com/team_image_230"?: string
  "https://slack.com/team_image_default"?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: Slack adds claims over time, as in Auth.js
  [claim: string]: any
}

/**
 * Sign-in with Slack.
 *
 * Environment: `AUTH_SLACK_ID`, `AUTH_SLACK_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/slack`; Slack accepts https only.
 * Console: https://api.slack.com/apps, OAuth & Permissions
 *
 * - The application needs the user token scopes `openid`, `profile` and `email`.
 * - A user of two workspaces has two accounts. The claim `profile["https://slack.com/team_id"]` identifies the
 *   workspace, and `authorization: { params: { team: "T0123456789" } }` requests one. Only an `isAllowed` that compares
 *   this claim rejects users of other workspaces.
 * - The account id is `sub`, which Slack guarantees to be unique only within a workspace. If users of any workspace can
 *   sign in, return `${profile["https://slack.com/team_id"]}-${profile.sub}` as the id in your own `profile`.
 * - Slack accepts no PKCE from applications with a client secret, so it is not used.
 *
 * @example
 * import Slack from "latchkey/providers/slack"
 * app.use(authMiddleware({ providers: [Slack] }))
 */
export default function Slack<P extends SlackProfile = SlackProfile>(options: OIDCUserConfig<P> = {}): OIDCConfig<P> {
  return {
    id: "slack",
    name: "Slack",
    type: "oidc",
    issuer: "https://slack.com",
    checks: ["nonce", "state"],
    style: { brandColor: "#611f69" },
    options,
  }
}
