import { fullName, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { ownVariable, readServer } from "../provider-kit/vendor.js"

/** The profile that WorkOS maps from the identity provider's data: https://workos.com/docs/reference/sso/profile */
export interface WorkOSProfile extends OtherMembers {
  object: "profile"
  id: string
  connection_id: string
  connection_type: string
  organization_id: string | null
  email: string
  first_name: string | null
  last_name: string | null
  /** The user's id at the identity provider. */
  idp_id: string
  role?: { slug: string } | null
  groups?: string[]
  custom_attributes?: Record<string, unknown>
  raw_attributes: Record<string, unknown>
}

/** Options of the factory. */
export type WorkOSOptions<P> = OAuthUserConfig<P> & {
  /** The connection to sign in with: "conn_…". @default process.env.AUTH_WORKOS_CONNECTION */
  connection?: string | undefined
}

/**
 * Sign-in with a connection of WorkOS.
 * Environment: `AUTH_WORKOS_ID`, `AUTH_WORKOS_SECRET` (the API key), `AUTH_WORKOS_CONNECTION`, and `AUTH_WORKOS_ISSUER`
 * for an API at another address than `https://api.workos.com`.
 * Console: https://dashboard.workos.com/, Redirects
 * - To select the identity provider, set `connection`, or send `organization` or `provider` as an authorization
 *   parameter. Set the parameter in the configuration or with the sign-in.
 * - The email address comes from the identity provider. WorkOS does not document whether email addresses are verified.
 * @example
 * import WorkOS from "latchkey/providers/workos"
 * app.use(authMiddleware({ providers: [WorkOS({ authorization: { params: { provider: "GoogleOAuth" } } })] }))
 */
export default function WorkOS<P extends WorkOSProfile = WorkOSProfile>(
  options: WorkOSOptions<P> = {},
): OAuth2Config<P> {
  const server = readServer("workos", options) ?? "https://api.workos.com"
  const connection = options.connection ?? ownVariable("workos", "CONNECTION", options)
  return oauthProvider<P>("workos", "WorkOS", {
    authorization: { url: `${server}/sso/authorize`, params: { connection, scope: "" } },
    token: `${server}/sso/token`,
    userinfo: `${server}/sso/profile`,
    client: { token_endpoint_auth_method: "client_secret_post" },
    user: ({ id, first_name, last_name, email, raw_attributes }) => ({
      id,
      name: fullName(first_name, last_name),
      email,
      image: raw_attributes?.["picture"],
    }),
    brandColor: "#6363f1",
  })(options)
}
