import { type IdTokenClaims, oidcProvider } from "../provider-kit/define.js"

type UserImages = { [size in 24 | 32 | 48 | 72 | 192 | 512 | 1024 as `https://slack.com/user_image_${size}`]?: string }
type TeamImages = { [size in 34 | 44 | 68 | 88 | 102 | 132 | 230 as `https://slack.com/team_image_${size}`]?: string }

/** The claims of Slack's id_token: https://docs.slack.dev/reference/methods/openid.connect.token */
export interface SlackProfile extends IdTokenClaims, UserImages, TeamImages {
  /** Identifies the user within the workspace. */
  sub: string
  auth_time: number
  /** Empty if the request had no nonce. */
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
  given_name: string
  family_name: string
  "https://slack.com/team_name"?: string
  "https://slack.com/team_domain"?: string
  "https://slack.com/team_image_default"?: boolean
}

/**
 * Sign-in with Slack.
 * Console: https://api.slack.com/apps, OAuth & Permissions
 * - The redirect URI must be https.
 * - The application needs the user token scopes `openid`, `profile` and `email`.
 * - A user of two workspaces has two accounts. The claim `profile["https://slack.com/team_id"]` identifies the
 *   workspace.
 * - To request one workspace, set `authorization: { params: { team: "T0123456789" } }`. To reject users of other
 *   workspaces, also compare the claim in `isAllowed`, because the parameter does not reject them.
 * - The account id is `sub`, which Slack guarantees to be unique only within a workspace. If users of any workspace can
 *   sign in, return `${profile["https://slack.com/team_id"]}-${profile.sub}` as the id in your own `profile`.
 * - Slack accepts no PKCE from applications with a client secret, so PKCE is not used.
 */
const Slack = oidcProvider<SlackProfile>("slack", "Slack", {
  issuer: "https://slack.com",
  checks: ["nonce", "state"],
  apiOrigins: ["https://slack.com"],
  brandColor: "#611f69",
})

export default Slack
