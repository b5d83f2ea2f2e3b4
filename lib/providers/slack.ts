import type { OIDCConfig, OIDCUserConfig } from "./provider.js"

/**
 * The claims of Slack's id_token.
 * @see https://docs.slack.dev/reference/methods/openid.connect.token
 */
export interface SlackProfile {
  iss: string
  /** The user, as their workspace knows them. */
  sub: string
  aud: string
  exp: number
  iat: number
  auth_time: number
  /** Empty when the request had none. */
  nonce: string
  at_hash: string
  "https://slack.com/team_id": string
  "https://slack.com/user_id": string
  email: string
  email_verified: boolean
  /** When the address was proven, in seconds. */
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
  // biome-ignore lint/suspicious/noExplicitAny: Slack adds claims as it grows, as in the contract
  [claim: string]: any
}

/**
 * Sign-in with Slack.
 *
 * Environment: `AUTH_SLACK_ID`, `AUTH_SLACK_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/slack`; Slack takes https only.
 * Console: https://api.slack.com/apps, OAuth & Permissions
 *
 * - The application needs the user token scopes `openid`, `profile` and `email`.
 * - Somebody with two workspaces has two accounts: which one it is stands in `profile["https://slack.com/team_id"]`, and
 *   `authorization: { params: { team: "T0123456789" } }` asks for one. Only `isAllowed`, which compares that claim, lets
 *   in nobody of another.
 * - The account is `sub`, as with Auth.js. Slack promises that it is one person's within a workspace only: where people of
 *   any may sign in, return `${profile["https://slack.com/team_id"]}-${profile.sub}` as the id of a `profile` of your own.
 * - PKCE is not used: Slack takes it only from applications that gave up their secret for it.
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
