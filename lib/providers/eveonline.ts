import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose"
import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { callVendorApi, type VendorContext } from "../provider-kit/vendor.js"

/**
 * The signed-in character. The profile is built from the access token's claims, and also contains these claims.
 * @see https://developers.eveonline.com/docs/services/sso/
 */
export interface EVEOnlineProfile extends OtherMembers {
  CharacterID: number
  CharacterName: string
  /** Changes when the character is sold to another player. */
  CharacterOwnerHash: string
  /** The expiry of the access token. */
  ExpiresOn: string
  /** The scopes of the access token, separated by spaces. */
  Scopes: string
  /** "CHARACTER:EVE:" followed by the character's number. */
  sub?: string
}

const NAME = "EVE Online"
const KEYS_URL = "https://login.eveonline.com/oauth/jwks"
// Both issuers are documented; a token can have either.
const ISSUERS = ["https://login.eveonline.com", "login.eveonline.com"]

/**
 * Converts the claims to the members that the former verify endpoint returned, because applications may still use them.
 */
function toProfile({ sub = "", exp = 0, ...claims }: JWTPayload): EVEOnlineProfile {
  const { name, owner, scp } = claims
  return {
    ...claims,
    sub,
    exp,
    CharacterID: Number(/^CHARACTER:EVE:(\d+)$/.exec(sub)?.[1] ?? 0),
    CharacterName: firstText(name) ?? "",
    CharacterOwnerHash: firstText(owner) ?? "",
    ExpiresOn: new Date(exp * 1000).toISOString(),
    Scopes: [scp ?? []].flat().join(" "),
  }
}

/**
 * Verifies the access token, a JWT that identifies the character, and returns the profile. EVE Online requires
 * applications to verify the signature.
 */
async function readToken(context: VendorContext): Promise<EVEOnlineProfile> {
  const { tokens, provider } = context
  // The response is not checked here, because createLocalJWKSet rejects an invalid key set.
  const keys = await callVendorApi<JSONWebKeySet>(NAME, KEYS_URL, context, { headers: { authorization: "" } })
  const { payload } = await jwtVerify(tokens.access_token ?? "", createLocalJWKSet(keys), {
    issuer: ISSUERS,
    // Without a client id, the empty list rejects every audience. An empty string would accept every audience.
    audience: provider.clientId || [],
    clockTolerance: 30,
  })
  return toProfile(payload)
}

/**
 * Sign-in with a character of EVE Online.
 * Console: https://developers.eveonline.com/applications
 * - The account is the character, not the player. Each character of a player is a separate user.
 * - A character can be transferred to another player, who then signs in to the same account. To detect a transfer,
 *   store `profile.CharacterOwnerHash` and compare it in `callbacks.signIn`: a transfer changes this value.
 * - The profile is built from the verified access token. The deprecated endpoint `/oauth/verify` is called only if you
 *   set it as `userinfo`.
 * - The user has no email address.
 */
const EVEOnline = oauthProvider<EVEOnlineProfile>("eveonline", NAME, {
  authorization: { url: "https://login.eveonline.com/v2/oauth/authorize", params: { scope: "publicData" } },
  token: "https://login.eveonline.com/v2/oauth/token",
  revocation: "https://login.eveonline.com/v2/oauth/revoke",
  userinfo: {
    request: (context: VendorContext) => {
      const url = context.provider.userinfo?.url
      return url ? callVendorApi(NAME, url, context) : readToken(context)
    },
  },
  checks: ["state"],
  user: ({ CharacterID, CharacterName }) => ({
    id: CharacterID,
    name: CharacterName,
    image: `https://images.evetech.net/characters/${CharacterID}/portrait?size=128`,
  }),
})

export default EVEOnline
