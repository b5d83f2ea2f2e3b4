import { issuerProvider, type StandardClaims } from "../provider-kit/define.js"

/** The claims of Beyond Identity's id_token: https://developer.beyondidentity.com/ */
export interface BeyondIdentityProfile extends StandardClaims {}

/**
 * Sign-in with Beyond Identity.
 * Console: https://console-us.beyondidentity.com, Applications, External Protocol
 * - The issuer is on the application's External Protocol tab.
 * - Beyond Identity does not document whether email addresses are verified.
 */
const BeyondIdentity = issuerProvider<BeyondIdentityProfile>("beyondidentity", "Beyond Identity", {
  brandColor: "#5077c5",
})

export default BeyondIdentity
