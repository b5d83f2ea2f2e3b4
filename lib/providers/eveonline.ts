import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose"
import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { askVendor, firstText, requireId, type VendorContext } from "./vendor.js"

/**
 * The character that was signed in with, made of the access token's claims, which stand there too.
 * @see https://developers.eveonline.com/docs/services/sso/
 */
export interface EVEOnlineProfile {
  CharacterID: number
  CharacterName: string
  /** Changes when the character is sold to another player. */
  CharacterOwnerHash: string
  /** Of the access token. */
  ExpiresOn: string
  /** What the access token is good for, parted by spaces. */
  Scopes: string
  /** "CHARACTER:EVE:" and the character's number. */
  sub?: string
  // biome-ignore lint/suspicious/noExplicitAny: the token's further claims, as in the contract
  [claim: string]: any
}

const NAME = "EVE Online"
const KEYS_URL = "https://login.eveonline.com/oauth/jwks"
// Both are documented: which one a token has is not promised.
const ISSUERS = ["https://login.eveonline.com", "login.eveonline.com"]

/** The members that applications know from the endpoint which told all this before access tokens did. */
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

/** The access token says whom it is of, and is proven by its signature, as the documentation asks. */
async function readToken(context: VendorContext): Promise<EVEOnlineProfile> {
  const { tokens, provider } = context
  // Whatever it is: what is no set of keys is refused where it is used.
  const keys = await askVendor<JSONWebKeySet>(NAME, KEYS_URL, context, { headers: { authorization: "" } })
  const { payload } = await jwtVerify(tokens.access_token ?? "", createLocalJWKSet(keys), {
    issuer: ISSUERS,
    // An empty text would let every audience pass.
    audience: provider.clientId || [],
    clockTolerance: 30,
  })
  return toProfile(payload)
}

/**
 * Sign-in with a character of EVE Online.
 *
 * Environment: `AUTH_EVEONLINE_ID`, `AUTH_EVEONLINE_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/eveonline`.
 * Console: https://developers.eveonline.com/applications
 *
 * - An account is a character, not a player: each character of a player is a user of its own.
 * - A character can go to another player, and its account here with it: `profile.CharacterOwnerHash` is another then.
 *   Keep it and compare it in `callbacks.signIn` if that matters.
 * - The profile is made of the access token, whose signature is checked: the endpoint that told it before
 *   (`/oauth/verify`) is deprecated. Given as `userinfo`, that one is asked all the same.
 * - There is no e-mail address.
 *
 * @example
 * import EVEOnline from "latchkey/providers/eveonline"
 * app.use(authMiddleware({ providers: [EVEOnline] }))
 */
export default function EVEOnline<P extends EVEOnlineProfile = EVEOnlineProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "eveonline",
    name: NAME,
    type: "oauth",
    authorization: { url: "https://login.eveonline.com/v2/oauth/authorize", params: { scope: "publicData" } },
    token: "https://login.eveonline.com/v2/oauth/token",
    userinfo: {
      request: (context: VendorContext) => {
        const url = context.provider.userinfo?.url
        return url ? askVendor(NAME, url, context) : readToken(context)
      },
    },
    checks: ["state"],
    profile({ CharacterID, CharacterName }) {
      const id = requireId(NAME, CharacterID)
      return {
        id,
        name: firstText(CharacterName),
        email: null,
        image: `https://images.evetech.net/characters/${id}/portrait?size=128`,
      }
    },
    options,
  }
}
