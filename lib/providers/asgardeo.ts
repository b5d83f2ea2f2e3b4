import { issuerProvider, type StandardClaims } from "../provider-kit/define.js"

/**
 * The claims of Asgardeo's id_token. User attributes are included when they are selected in the console.
 * @see https://wso2.com/asgardeo/docs/guides/authentication/oidc/validate-id-tokens/
 */
export interface AsgardeoProfile extends StandardClaims {
  iss: string
  /** A GUID, unless the application uses another attribute as its subject. */
  sub: string
  org_id?: string
  org_name?: string
  sid?: string
}

/**
 * Sign-in with Asgardeo.
 * Console: https://console.asgardeo.io, Applications, Protocol
 * - The issuer is on the application's Info tab: `https://api.asgardeo.io/t/my-organization/oauth2/token`.
 * - Select name, email address and picture under User Attributes.
 * - `profile.email_verified` comes from Asgardeo if email verification is on and the attribute is selected.
 */
const Asgardeo = issuerProvider<AsgardeoProfile>("asgardeo", "Asgardeo", { brandColor: "#000" })

export default Asgardeo
