import { firstText, type OtherMembers, oauthProvider } from "../provider-kit/define.js"
import { userinfoFrom } from "../provider-kit/vendor.js"

/**
 * Discord's user object, with the scopes `identify` and `email`.
 * @see https://discord.com/developers/docs/resources/user#user-object
 */
export interface DiscordProfile extends OtherMembers {
  /** A 64-bit number as a string. */
  id: string
  username: string
  /** The four digits of a legacy username; "0" for a new username. */
  discriminator: string
  global_name: string | null
  email: string | null
  verified: boolean
  /** Added by latchkey: the same as `verified`. */
  email_verified?: boolean
  avatar: string | null
  /** Added by latchkey: address of the picture. */
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
}

const USER_URL = "https://discord.com/api/users/@me"
const CDN = "https://cdn.discordapp.com"

/** Derives the index of the default avatar from the discriminator of a legacy username, otherwise from the id. */
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

/**
 * Sign-in with Discord.
 * Console: https://discord.com/developers/applications, OAuth2
 * - `profile.email_verified` comes from Discord's `verified`.
 * - The image, also in `profile.image_url`, is the user's avatar (a GIF if animated) or Discord's default avatar.
 */
const Discord = oauthProvider<DiscordProfile>("discord", "Discord", {
  authorization: { url: "https://discord.com/api/oauth2/authorize", params: { scope: "identify email" } },
  token: "https://discord.com/api/oauth2/token",
  revocation: "https://discord.com/api/oauth2/token/revoke",
  userinfo: userinfoFrom<DiscordProfile>("Discord", USER_URL, (user) => ({
    ...user,
    email_verified: user.verified === true,
    image_url: avatarUrl(user),
  })),
  user(profile) {
    const { id, global_name, username, email } = profile
    return { id, name: firstText(global_name, username), email, image: avatarUrl(profile) }
  },
  apiOrigins: ["https://discord.com"],
  brandColor: "#5865F2",
})

export default Discord
