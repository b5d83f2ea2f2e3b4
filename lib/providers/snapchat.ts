import type { OAuth2Config, OAuthUserConfig } from "../provider-kit/provider.js"
import { firstText, requireId, userinfoFrom } from "../provider-kit/vendor.js"

/**
 * The signed-in user of Snap's Login Kit.
 * @see https://developers.snap.com/snap-kit/login-kit/Tutorials/web
 */
export interface SnapchatProfile {
  /** Identifies the user to the application. */
  externalId: string
  displayName?: string | null
  /** Absent if the user does not share it. */
  bitmoji?: { avatar?: string | null } | null
  // biome-ignore lint/suspicious/noExplicitAny: an application can request more with its own userinfo
  [member: string]: any
}

interface Answer<P> {
  data?: { me?: P } | null
  errors?: readonly { message?: string }[]
}

const ME_URL = "https://kit.snapchat.com/v1/me"
const SCOPES = "https://auth.snapchat.com/oauth2/api"
const query = "{me{externalId displayName bitmoji{avatar}}}"

/** GraphQL reports errors with status 200, too. */
function personOf<P>({ data, errors }: Answer<P>): P {
  if (!data?.me) throw new Error(`Snapchat: ${errors?.[0]?.message ?? "the response has no user"}`)
  return data.me
}

/**
 * Sign-in with Snapchat.
 *
 * Environment: `AUTH_SNAPCHAT_ID`, `AUTH_SNAPCHAT_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/snapchat`.
 * Console: https://devportal.snap.com/manage/, a project with Login Kit
 *
 * - Use the project's confidential OAuth client, and enable the display name, the external id and the Bitmoji avatar
 *   under Login Kit.
 * - No email address. The image is the Bitmoji, if the user shares it.
 * - Until Snap has reviewed the project, only its demo users can sign in.
 *
 * @example
 * import Snapchat from "latchkey/providers/snapchat"
 * app.use(authMiddleware({ providers: [Snapchat] }))
 */
export default function Snapchat<P extends SnapchatProfile = SnapchatProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  const scope = ["user.external_id", "user.display_name", "user.bitmoji.avatar"].map((name) => `${SCOPES}/${name}`)
  return {
    id: "snapchat",
    name: "Snapchat",
    type: "oauth",
    authorization: {
      url: "https://accounts.snapchat.com/accounts/oauth2/auth",
      params: { scope: scope.join(" ") },
    },
    token: "https://accounts.snapchat.com/accounts/oauth2/token",
    userinfo: userinfoFrom<P, Answer<P>>("Snapchat", ME_URL, personOf, { json: { query } }),
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile({ externalId, displayName, bitmoji }) {
      return {
        id: requireId("Snapchat", externalId),
        name: firstText(displayName),
        email: null,
        image: firstText(bitmoji?.avatar),
      }
    },
    style: { brandColor: "#FFFC00" },
    options,
  }
}
