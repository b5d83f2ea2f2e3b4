import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose"
import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { callVendorApi, type VendorContext } from "../provider-kit/vendor.js"

/**
 * The signed-in character, built from the access token's claims. The claims are included.
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

/** The members of the former verify endpoint, which applications may still use. */
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

/** The access token is a JWT that identifies the character. The documentation requires to verify its signature. */
async function readToken(context: VendorContext): Promise<EVEOnlineProfile> {
  const { tokens, provider } = context
  // The value is not checked here; an invalid key set is rejected where it is used.
  const keys = await callVendorApi<JSONWebKeySet>(NAME, KEYS_URL, context, { headers: { authorization: "" } })
  const { payload } = await jwtVerify(tokens.access_token ?? "", createLocalJWKSet(keys), {
    issuer: ISSUERS,
    // An empty string would accept every audience.
    audience: provider.clientId || [],
    clockTolerance: 30,
  })
  return toProfile(payload)
}

/**
 * Sign-in with a character of EVE Online.
 * Console: https://developers.eveonline.com/applications
 * - An account is a character. Each character of a player is a separate user.
 * - A character can be transferred to another player, who then signs in to the same account. To detect this, store
 *   `profile.CharacterOwnerHash`, which changes then, and compare it in `callbacks.signIn`.
 * - The profile is built from the verified access token. The deprecated endpoint `/oauth/verify` is called only if you
 *   set it as `userinfo`.
 * - No email address.
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
