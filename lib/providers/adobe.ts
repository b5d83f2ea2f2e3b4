import { firstText, fullName, oidcProvider } from "../provider-kit/define.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

/** @see https://developer.adobe.com/developer-console/docs/guides/authentication/UserAuthentication/ims#userinfo */
export interface AdobeProfile {
  sub: string
  name?: string
  given_name?: string
  family_name?: string
  email?: string
  /** Adobe returns the string "true" or "false", which is converted to a boolean. */
  email_verified?: boolean | string
  /** "ind" is a personal account; "ent" and "fed" are company accounts. */
  account_type?: string
  address?: { country?: string }
  [claim: string]: unknown
}

const ISSUER = "https://ims-na1.adobelogin.com"

/**
 * Sign-in with Adobe.
 * Console: https://developer.adobe.com/console, a project with an API, User Authentication, OAuth Web App
 * - The redirect URI must be https.
 * - Scopes are separated by commas.
 * - The user has no picture.
 */
const Adobe = oidcProvider<AdobeProfile>("adobe", "Adobe", {
  issuer: ISSUER,
  wellKnown: `${ISSUER}/ims/.well-known/openid-configuration`,
  authorization: { params: { scope: "openid,profile,email" } },
  scopeSeparator: ",",
  userinfo: userinfoFrom<AdobeProfile>("Adobe", `${ISSUER}/ims/userinfo/v2`, (user) => ({
    ...user,
    email_verified: user.email_verified === true || user.email_verified === "true",
  })),
  client: { token_endpoint_auth_method: "client_secret_post" },
  // A nonce is not documented.
  checks: ["pkce", "state"],
  idToken: false,
  user: ({ sub, name, given_name, family_name, email }) => ({
    id: sub,
    name: firstText(name, fullName(given_name, family_name)),
    email,
  }),
  brandColor: "#EB1000",
})

export default Adobe
