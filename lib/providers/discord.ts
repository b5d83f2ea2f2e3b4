import type { OAuth2Config, OAuthUserConfig } from "./provider.js"
import { firstText, requireId, userinfoFrom } from "./vendor.js"

/**
 * Discord's user object, as the scopes `identify` and `email` show it.
 * @see https://discord.com/developers/docs/resources/user#user-object
 */
export interface DiscordProfile {
  /** A number of up to 64 bits, as text. */
  id: string
  username: string
  /** Four digits of the old naming, "0" for those who left it. */
  discriminator: string
  global_name: string | null
  email: string | null
  /** Did the person prove the address? */
  verified: boolean
  /** Ours: the same as `verified`. */
  email_verified?: boolean
  /** Hash of the picture. */
  avatar: string | null
  /** Ours: address of the picture. */
  image_url?: string
  bot?: boolean
  system?: boolean
  mfa_enabled: boolean
  banner: string | null
  accent_color: number | null
  locale: string
  flags: number
  premium_type: number
  public_flags: number
  // biome-ignore lint/suspicious/noExplicitAny: Discord adds members as it grows, as in the contract
  [member: string]: any
}

const USER_URL = "https://discord.com/api/users/@me"
const CDN = "https://cdn.discordapp.com"

/** Which of the drawn pictures stands for somebody without one: by the id since there are no discriminators. */
function defaultAvatarIndex({ id, discriminator }: DiscordProfile): number {
  if (discriminator && discriminator !== "0") return Number(discriminator) % 5
  return /^\d+$/.test(id) ? Number((BigInt(id) >> 22n) % 6n) : 0
}

/** @see https://discord.com/developers/docs/reference#image-formatting */
function avatarUrl(profile: DiscordProfile): string {
  const { id, avatar } = profile
  if (!avatar) return `${CDN}/embed/avatars/${defaultAvatarIndex(profile)}.png`
  return `${CDN}/avatars/${id}/${avatar}.${avatar.startsWith("a_") ? "gif" : "png"}`
}

const toProfile = <P extends DiscordProfile>(user: P): P => ({
  ...user,
  email_verified: user.verified === true,
  image_url: avatarUrl(user),
})

/**
 * Sign-in with Discord.
 *
 * Environment: `AUTH_DISCORD_ID`, `AUTH_DISCORD_SECRET`.
 * Redirect URI: `https://example.com/auth/callback/discord`.
 * Console: https://discord.com/developers/applications, OAuth2
 *
 * - `profile.email_verified` is Discord's `verified`.
 * - The image is the person's picture, a GIF where it moves, or the drawn one that Discord shows; its address stands in
 *   `profile.image_url` too.
 *
 * @example
 * import Discord from "latchkey/providers/discord"
 * app.use(authMiddleware({ providers: [Discord] }))
 */
export default function Discord<P extends DiscordProfile = DiscordProfile>(
  options: OAuthUserConfig<P> = {},
): OAuth2Config<P> {
  return {
    id: "discord",
    name: "Discord",
    type: "oauth",
    authorization: { url: "https://discord.com/api/oauth2/authorize", params: { scope: "identify email" } },
    token: "https://discord.com/api/oauth2/token",
    userinfo: userinfoFrom<P>("Discord", USER_URL, toProfile),
    profile(profile) {
      const { id, global_name, username, email } = profile
      return {
        id: requireId("Discord", id),
        name: firstText(global_name, username),
        email: firstText(email),
        image: avatarUrl(profile),
      }
    },
    style: { brandColor: "#5865F2" },
    options,
  }
}
