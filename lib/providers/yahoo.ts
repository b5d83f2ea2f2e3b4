import { oidcProvider, type StandardClaims } from "../provider-kit/define.js"

/** The claims of Yahoo's userinfo: https://developer.yahoo.com/oauth2/guide/get-user-inf/Get-User-Info-API.html */
export interface YahooProfile extends StandardClaims {}

/**
 * Sign-in with Yahoo.
 * Environment: `AUTH_YAHOO_ID` (the consumer key), `AUTH_YAHOO_SECRET` (the consumer secret).
 * Console: https://developer.yahoo.com/apps/
 * - The redirect URI must be https.
 * - Select the OpenID Connect permissions "Email" and "Profile" of the application.
 */
const Yahoo = oidcProvider<YahooProfile>("yahoo", "Yahoo", {
  issuer: "https://api.login.yahoo.com",
  // PKCE is not documented.
  checks: ["state", "nonce"],
  // Yahoo documents the name and the email address only for the userinfo.
  idToken: false,
  brandColor: "#6001D2",
})

export default Yahoo
