import { type OtherMembers, oauthProvider, requireId } from "../provider-kit/define.js"
import type { OAuth2Config, OAuthUserConfig, ProviderContext } from "../provider-kit/provider.js"
import { callVendorApi, readServer } from "../provider-kit/vendor.js"

/**
 * A Nextcloud user, with the members that this user can read.
 * @see https://docs.nextcloud.com/server/latest/developer_manual/client_apis/OCS/ocs-api-overview.html#user-metadata
 */
export interface NextcloudProfile extends OtherMembers {
  /** The user name, which never changes. */
  id: string
  displayname: string
  email: string | null
  phone: string
  address: string
  website: string
  twitter: string
  fediverse: string
  organisation: string
  role: string
  headline: string
  biography: string
  groups: string[]
  language: string
  locale: string
  enabled: boolean
  storageLocation: string
}

interface OcsResponse<P> {
  ocs?: { meta: { status: string; statuscode: number; message: string | null }; data: P }
}

async function fetchProfile<P>(usersUrl: string, context: ProviderContext): Promise<P> {
  // Nextcloud includes the user in its token response.
  const user = encodeURIComponent(requireId("Nextcloud", context.tokens["user_id"]))
  const headers = { "ocs-apirequest": "true" }
  const { ocs } = await callVendorApi<OcsResponse<P>>("Nextcloud", `${usersUrl}/${user}`, context, { headers })
  // This API reports errors with status 200.
  if (ocs?.meta?.status !== "ok") throw new Error(`Nextcloud: ${ocs?.meta?.message || "the response has no user"}`)
  return ocs.data
}

/**
 * Sign-in with your own Nextcloud.
 * Environment: also `AUTH_NEXTCLOUD_ISSUER`, the server's address (`https://cloud.example.com`).
 * Console: Nextcloud, Administration settings > Security > OAuth 2.0 clients
 * - There are no scopes. Every token can read and write the whole account, so protect tokens like passwords.
 * - If Nextcloud does not use pretty URLs, the issuer ends in `/index.php`. Then also set `userinfo`, without
 *   `/index.php`: `https://cloud.example.com/ocs/v1.php/cloud/users`.
 * - A user may have no email address. Nextcloud does not document whether email addresses are verified.
 */
export default function Nextcloud<P extends NextcloudProfile = NextcloudProfile>(
  options: OAuthUserConfig<P> & { issuer: string | undefined },
): OAuth2Config<P> {
  const server = readServer("nextcloud", options)
  const usersUrl = server && `${server}/ocs/v1.php/cloud/users`
  return oauthProvider<P>("nextcloud", "Nextcloud", {
    authorization: { url: server && `${server}/apps/oauth2/authorize`, params: { scope: "" } },
    token: server && `${server}/apps/oauth2/api/v1/token`,
    userinfo: {
      url: usersUrl,
      request: (context: ProviderContext) =>
        fetchProfile<P>(String(context.provider.userinfo?.url ?? usersUrl), context),
    },
    user: ({ id, displayname, email }) => ({
      id,
      name: displayname,
      email,
      image: server && `${server}/avatar/${encodeURIComponent(id)}/512`,
    }),
    brandColor: "#fff",
  })(options)
}
