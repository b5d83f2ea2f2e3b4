import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { firstText, providerVariable, requireId } from "../provider-kit/vendor.js"

/**
 * The claims of Battle.net's id_token.
 * @see https://develop.battle.net/documentation/guides/using-oauth/authorization-code-flow
 */
export interface BattleNetProfile {
  sub: string
  /** The in-game name with the number that makes it unique: "Thrall#1234". */
  battle_tag: string
  // biome-ignore lint/suspicious/noExplicitAny: additional scopes add claims, as in Auth.js
  [claim: string]: any
}

/** The issuers: worldwide, China, and the former regional hosts. */
export type BattleNetIssuer =
  | "https://oauth.battle.net"
  | "https://oauth.battlenet.com.cn"
  | "https://www.battlenet.com.cn/oauth"
  | `https://${"us" | "eu" | "kr" | "tw"}.battle.net/oauth`

/** Options of the factory. */
export type BattleNetOptions<P> = Omit<OIDCUserConfig<P>, "issuer"> & {
  /** @default "https://oauth.battle.net" */
  issuer?: BattleNetIssuer | (string & {}) | undefined
}

/**
 * Sign-in with Battle.net.
 *
 * Environment: `AUTH_BATTLENET_ID`, `AUTH_BATTLENET_SECRET`, and for China the issuer as `AUTH_BATTLENET_ISSUER`
 * (`https://oauth.battlenet.com.cn`).
 * Redirect URI: `https://example.com/auth/callback/battlenet`.
 * Console: https://develop.battle.net/access/clients
 *
 * - No email address and no picture; the name is the BattleTag.
 * - To read game profiles, set `authorization: { params: { scope: "openid wow.profile sc2.profile d3.profile" } }`.
 *
 * @example
 * import BattleNet from "latchkey/providers/battlenet"
 * app.use(authMiddleware({ providers: [BattleNet] }))
 */
export default function BattleNet<P extends BattleNetProfile = BattleNetProfile>(
  options: BattleNetOptions<P> = {},
): OIDCConfig<P> {
  return {
    id: "battlenet",
    name: "Battle.net",
    type: "oidc",
    // Read here because a default would hide the environment variable.
    issuer: providerVariable("battlenet", "ISSUER", options) || "https://oauth.battle.net",
    authorization: { params: { scope: "openid" } },
    profile({ sub, battle_tag }) {
      return { id: requireId("Battle.net", sub), name: firstText(battle_tag), email: null, image: null }
    },
    style: { brandColor: "#148eff" },
    options,
  }
}
