import { oidcProvider, type StandardClaims } from "../provider-kit/define.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { providerVariable } from "../provider-kit/vendor.js"

/** @see https://develop.battle.net/documentation/guides/using-oauth/authorization-code-flow */
export interface BattleNetProfile extends StandardClaims {
  /** The in-game name with the number that makes it unique: "Thrall#1234". */
  battle_tag: string
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
 * Environment: also `AUTH_BATTLENET_ISSUER`, which is needed only for China (`https://oauth.battlenet.com.cn`).
 * Console: https://develop.battle.net/access/clients
 * - The user has no email address and no picture. The name is the BattleTag.
 * - To read game profiles, set `authorization: { params: { scope: "openid wow.profile sc2.profile d3.profile" } }`.
 */
export default function BattleNet<P extends BattleNetProfile = BattleNetProfile>(
  options: BattleNetOptions<P> = {},
): OIDCConfig<P> {
  return oidcProvider<P>("battlenet", "Battle.net", {
    // The variable is read here, because the core reads it only if the definition has no issuer.
    issuer: providerVariable("battlenet", "ISSUER", options) || "https://oauth.battle.net",
    authorization: { params: { scope: "openid" } },
    user: ({ sub, battle_tag }) => ({ id: sub, name: battle_tag }),
    brandColor: "#148eff",
  })(options)
}
